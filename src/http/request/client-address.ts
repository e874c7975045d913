// Whose request it is, behind proxies: each adds the address that it sees at the right end of X-Forwarded-For.
import { BlockList, isIP, isIPv6 } from "node:net";

/** Proxies whose header counts: addresses, or networks such as `10.0.0.0/8`. */
export type Networks = readonly string[];

/** Whether a text is an address or a network. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (!isAddress(address) || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32));
}

/** Without the zone that an address of a link may have. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

/**
 * Creates what finds the address of a client: where the connection is a trusted proxy's, the rightmost one in X-Forwarded-For
 * that no trusted proxy has. The address of the connection where there is none, or something else stands before it.
 */
export function createClientFinder(trusted: Networks): (connection: string, forwardedFor: string | null) => string {
  const proxies = new BlockList();
  for (const network of trusted) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    proxies.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const isTrusted = (address: string): boolean => proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return (connection, forwardedFor) => {
    const peer = toPlainAddress(connection);
    if (forwardedFor === null || trusted.length === 0 || !isTrusted(peer)) return peer;
    for (const entry of forwardedFor.split(",").toReversed()) {
      if (!isAddress(entry.trim())) return peer;
      const address = toPlainAddress(entry.trim());
      if (!isTrusted(address)) return address;
    }
    return peer;
  };
}

/** A socket for both families gives addresses of IPv4 as `::ffff:192.0.2.1`. */
function toPlainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, "");
}
