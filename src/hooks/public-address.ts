// Recognizes public addresses, so that webhooks cannot reach private services, such as cloud metadata.
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IANA special-purpose addresses that are not globally reachable, and multicast addresses. */
const NOT_PUBLIC = createList("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  // Carrier-grade NAT (RFC 6598).
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, including the metadata services of most clouds.
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  // Multicast, reserved, broadcast.
  "224.0.0.0/3",
  // Azure's metadata service, at an otherwise public address.
  "168.63.129.16/32",
]);
/** Protocol assignments (with Teredo), documentation, and 6to4. Teredo and 6to4 can embed private IPv4 addresses. */
const NOT_PUBLIC_IPV6 = createList("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);
/** All IPv6 addresses outside this block are local, multicast, mapped, or unassigned (RFC 4291 §2.4). */
const GLOBAL_UNICAST = createList("ipv6", ["2000::/3"]);

function createList(family: "ipv4" | "ipv6", networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !NOT_PUBLIC.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  return GLOBAL_UNICAST.check(address, "ipv6") && !NOT_PUBLIC_IPV6.check(address, "ipv6");
}
