import { expect, it } from "vitest";
import { createHostCheck, hostName, isLoopbackName } from "../src/host-check.ts";

it.each([
  ["localhost", true],
  ["app.localhost", true],
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["[::1]", true],
  ["::1", true],
  ["localhost.example.com", false],
  ["notlocalhost", false],
  [".localhost", false],
  ["127.0.0.1.example.com", false],
  ["127.0.0", false],
  ["1127.0.0.1", false],
  ["127.0.0.1234", false],
  ["[::1].example.com", false],
  ["x::1", false],
  ["", false],
])("the name %j is of this machine: %j", (name, expected) => {
  expect(isLoopbackName(name)).toBe(expected);
});

it.each([
  ["Example.COM:8080", "example.com"],
  ["example.com.", "example.com"],
  ["example.com.:80", "example.com"],
  ["[::1]:80", "[::1]"],
  ["example.com", "example.com"],
  [undefined, ""],
])("the host %j has the name %j", (header, name) => {
  expect(hostName(header)).toBe(name);
});

it("accepts loopback names and the allowed hosts", () => {
  const accepts = createHostCheck(["Quern.example:80", "second.example"]);
  const hosts = [
    "localhost:3000",
    "quern.example",
    "QUERN.example.:8080",
    "second.example",
    "third.example",
    undefined,
  ];
  expect(hosts.filter(accepts)).toEqual(["localhost:3000", "quern.example", "QUERN.example.:8080", "second.example"]);
  expect(["quern.example", "127.0.0.1"].filter(createHostCheck())).toEqual(["127.0.0.1"]);
});
