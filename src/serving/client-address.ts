// Finds a client's address behind proxies: each proxy appends to X-Forwarded-For the address that it sees.
import { BlockList, isIP, isIPv6 } from "node:net";

/** Trusted proxies: addresses, or networks such as `10.0.0.0/8`. */
export type Networks = readonly string[];

export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (!isAddress(address) || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32));
}

/** Rejects addresses with a zone, such as link-local ones. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

/**
 * Returns a function that finds a client's address. Behind a trusted proxy, this is the rightmost address in
 * X-Forwarded-For that does not belong to a trusted proxy. Without such an address, or with an invalid entry to the
 * right of it, the function returns the address of the connection.
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

/** Converts `::ffff:192.0.2.1`, an IPv4 address as a dual-stack socket reports it, to plain IPv4. Drops zones. */
function toPlainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, "");
}
