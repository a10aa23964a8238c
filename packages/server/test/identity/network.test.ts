import { expect, it } from "vitest";
import { clientNetwork, isInNetworks, networkFault } from "../../src/identity/network.ts";

it.each([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["192.0.2.7", "192.0.2.7", true],
  ["192.0.2.8", "192.0.2.7", false],
  ["::ffff:10.1.2.3", "10.0.0.0/8", true],
  ["::ffff:a01:203", "10.0.0.0/8", true],
  ["10.1.2.3", "::ffff:10.0.0.0/104", true],
  ["11.1.2.3", "::ffff:10.0.0.0/104", false],
  ["2001:db8:1::7", "2001:db8::/32", true],
  ["2001:db9::7", "2001:db8::/32", false],
  ["fe80::1%eth0", "fe80::/10", true],
  ["::1", "::1/128", true],
  ["10.1.2.3", "::/0", false],
  ["0.0.0.0", "0.0.0.0/0", true],
  ["unknown", "0.0.0.0/0", false],
  ["", "::/0", false],
  ["1::ffff:10.1.2.3", "10.0.0.0/8", false],
  ["::1:ffff:10.1.2.3", "10.0.0.0/8", false],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", true],
  ["1:2:3:4:5:6:7:9", "1:2:3:4:5:6:7:8", false],
])("address %s in network %s: %s", (address, network, isIn) => {
  expect(networkFault(network)).toBeUndefined();
  expect(isInNetworks(address, [network])).toBe(isIn);
  expect(isInNetworks(address, ["203.0.113.0/24", network])).toBe(isIn);
});

it.each([
  "10.0.0.0/33",
  "::/129",
  "::ffff:10.0.0.0/95",
  "10.0.0/8",
  "10.0.0.0/",
  "/8",
  "",
  "example.com",
  "10.0.0.0/-1",
  "10.0.0.0/8x",
  "x/10.0.0.0/8",
])("names an invalid network: %s", (text) => {
  expect(networkFault(text)).toBe(
    `expected a network such as 10.0.0.0/8 or 2001:db8::/32, received ${JSON.stringify(text)}`,
  );
  expect(isInNetworks("10.0.0.1", [text])).toBe(false);
});

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:db8:0:0:ffff::1", "2001:db8:0:0"],
  ["2001:db8:0:1::1", "2001:db8:0:1"],
  ["unknown", "unknown"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4"],
  ["::1", "0:0:0:0"],
])("counts the requests of %s with those of %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
