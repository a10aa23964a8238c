import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Network of client addresses. A single address is a network with a prefix of its whole length. */
interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Returns what is wrong with a network in CIDR notation; undefined if it is valid. */
export function networkFault(text: string): string | undefined {
  if (parseNetwork(text) !== undefined) return undefined;
  return `expected a network such as 10.0.0.0/8 or 2001:db8::/32, received ${JSON.stringify(text)}`;
}

/** Returns whether an address is in one of the networks. An address that is not an IP address is in none. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const single = plainAddress(address);
  const family = isIPv4(single) ? "ipv4" : "ipv6";
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    // A list with ::/0 would also match each IPv4 address.
    if (network?.family === family) list.addSubnet(network.address, network.prefix, family);
  }
  return list.check(single, family);
}

/**
 * Returns the network whose requests count as those of one client: an IPv4 address, or the first 64 bits of an IPv6
 * address, because a client may use all addresses with these bits.
 */
export function clientNetwork(address: string): string {
  const single = plainAddress(address);
  return isIPv6(single) ? groupsOf(single).slice(0, 4).join(":") : single;
}

function parseNetwork(text: string): Network | undefined {
  const [, written = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = plainAddress(written);
  if (isIPv4(address)) {
    // The first 96 bits of an IPv4-mapped network are the prefix ::ffff:0:0.
    const mappedBits = isIPv6(written) ? 96 : 0;
    const prefix = Number(digits ?? 32 + mappedBits) - mappedBits;
    return prefix >= 0 && prefix <= 32 ? { address, prefix, family: "ipv4" } : undefined;
  }
  const prefix = Number(digits ?? 128);
  return isIPv6(address) && prefix <= 128 ? { address, prefix, family: "ipv6" } : undefined;
}

/** Removes the zone of an IPv6 address, and returns an IPv4-mapped address (`::ffff:192.0.2.7`) as IPv4. */
function plainAddress(address: string): string {
  const [single = ""] = address.split("%", 1);
  if (!isIPv6(single)) return single;
  const groups = groupsOf(single);
  const isMapped = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
  if (!isMapped) return single;
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join(".");
}

/** Returns the eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // A URL has the shortest form of the address, without a dotted IPv4 part.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail = ""] = shortest.split("::");
  const [before, after] = [head, tail].map((part) => part.split(":").filter(Boolean)) as [string[], string[]];
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}
