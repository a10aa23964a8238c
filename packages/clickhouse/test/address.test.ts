import { expect, it } from "vitest";
import { checkSource, parseAddress } from "../src/address.ts";
import { sourceAt } from "./fixture.ts";

it.each([
  ["clickhouse://reader@host/shop", { origin: "http://host:8123", user: "reader", database: "shop" }],
  ["clickhouse://reader@host:80", { origin: "http://host", database: undefined }],
  ["clickhouse://reader@host?secure=true", { origin: "https://host:8443" }],
  ["clickhouse://reader@host:8443/", { origin: "https://host:8443", database: undefined }],
  ["clickhouse://reader@host:443/shop?secure=true", { origin: "https://host" }],
  [
    "clickhouse://me%40example.org@[::1]:9/a%20b",
    { origin: "http://[::1]:9", user: "me@example.org", database: "a b" },
  ],
])("reads %s", (address, expected) => {
  expect(parseAddress(sourceAt(address), "")).toMatchObject(expected);
});

it.each([
  ["reader@host", "expected clickhouse://user@host"],
  ["https://reader@host/c", "got the scheme https://"],
  ["clickhouses://reader@host/c", "got the scheme clickhouses://"],
  ["clickhouse://reader:geheim@host/c", "it has a password"],
  ["clickhouse://host/c", "the user is missing"],
  ["clickhouse://a%3Ab@host/c", "user: expected a name without a colon"],
  ["clickhouse://reader@host/c/t", "expected one database"],
  ["clickhouse://reader@host/system", "not one of ClickHouse itself"],
  ["clickhouse://reader@host/c?secur=true", "unknown parameter secur; expected secure; did you mean secure?"],
  ["clickhouse://reader@host/c?secure=yes", "secure: expected true or false"],
  ["clickhouse://reader@host/c?secure=true&secure=false", "secure: given twice"],
  ["clickhouse://reader@host/c#x", "it has a fragment"],
  ["clickhouse://quern_{user}@host/c", "it has {user}, which needs --run-as user"],
])("refuses %s", (address, reason) => {
  const check = (): void => checkSource(sourceAt(address));
  expect(check).toThrow(reason);
  expect(check).toThrow(/^Invalid address of the data source events: [^\n]+\.$/);
  expect(check).not.toThrow("geheim");
});

it("refuses a source without an address, with a path, and one of each user without {user}", () => {
  const { address: _, ...without } = sourceAt("");
  expect(() => checkSource(without)).toThrow("there is none");
  expect(() => checkSource(sourceAt("clickhouse://a@b", { path: "/data" }))).toThrow("has no path");
  expect(() => checkSource(sourceAt("clickhouse://a@b", { runAs: "user" }))).toThrow("write {user}");
  checkSource(sourceAt("clickhouse://quern_{user}@b", { runAs: "user" }));
});

it.each([
  ["clickhouse://reader@host/a/", "expected one database"],
  ["clickhouse:///c", "the user is missing"],
  ["clickhouse://reader@host/Information_Schema", "not one of ClickHouse itself"],
  ["clickhouse://%ff@host/c", "user: expected a name without a colon"],
  ["clickhouse://reader@host?zzzzzzzzz=1", "unknown parameter zzzzzzzzz; expected secure."],
])("refuses the address %s", (address, reason) => {
  expect(() => checkSource(sourceAt(address))).toThrow(reason);
});

it("inserts the id of the user where the address has {user}", () => {
  const source = sourceAt("clickhouse://quern_{user}@host/db_{user}?secure=false", { runAs: "user" });
  expect(parseAddress(source, "me@example.org")).toEqual({
    origin: "http://host:8123",
    user: "quern_me@example.org",
    database: "db_me@example.org",
  });
  expect(parseAddress(source, "a".repeat(63)).user).toBe(`quern_${"a".repeat(63)}`);
});

it.each(["", "a b", "a/b", "a:b", " a", "a\n", "a".repeat(64)])("refuses the user %j", (userId) => {
  const refused = () => parseAddress(sourceAt("clickhouse://quern_{user}@host"), userId);
  expect(refused).toThrow(expect.objectContaining({ failure: expect.objectContaining({ name: "InvalidUser" }) }));
  expect(parseAddress(sourceAt("clickhouse://reader@host"), userId).user).toBe("reader");
});

const form = "clickhouse://user@host:port/database?secure=true";

it.each([
  ["clickhouse://reader@/c", `expected ${form}`],
  ["https://reader@host/c", `expected ${form}, got the scheme https://`],
  ["clickhouse://reader:x@host/c", "it has a password; give its file or variable as the password of the source"],
  ["clickhouse://host/c", `the user is missing; expected ${form}`],
  ["clickhouse://reader@a%20b/c", `host: expected ${form}`],
  ["clickhouse://reader@host/c#x", "it has a fragment (#)"],
  ["clickhouse://reader@host/c/t", `expected one database; expected ${form}`],
  ["clickhouse://reader@host/system", "database: expected one with your tables, not one of ClickHouse itself"],
  [undefined, `there is none; expected ${form}`],
])("says what is wrong with the address %s", (address, reason) => {
  const { address: _, ...source } = sourceAt("");
  const given = address === undefined ? source : { ...source, address };
  expect(() => checkSource(given)).toThrow(new Error(`Invalid address of the data source events: ${reason}.`));
});

it("says that a path is to be removed", () => {
  expect(() => checkSource(sourceAt("clickhouse://a@b", { path: "/data" }))).toThrow(
    new Error("Invalid data source events: a ClickHouse source has no path; remove it."),
  );
});
