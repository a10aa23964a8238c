import { expect, it } from "vitest";
import { checkSource, parseAddress } from "../src/address.ts";
import { sourceAt } from "./fixture.ts";

it.each([
  ["trino://reader@trino:8080/hive/sales", { coordinator: "http://trino:8080", catalog: "hive", schema: "sales" }],
  ["trino://reader@trino.example.org/hive?SSL=true", { coordinator: "https://trino.example.org", schema: undefined }],
  ["trino://reader@trino:443", { coordinator: "https://trino", catalog: undefined, spooling: true }],
  ["trino://reader@[::1]:8080/", { coordinator: "http://[::1]:8080", catalog: undefined }],
  ["trino://me%40example.org@trino/c?spooling=false", { user: "me@example.org", spooling: false }],
  ["trino://reader@trino", { catalogs: undefined }],
  ["trino://reader@trino/Hive?catalogs=tpch,System", { catalogs: new Set(["hive", "tpch", "system"]) }],
  ["trino://reader@trino?catalogs=tpch", { catalog: undefined, catalogs: new Set(["tpch"]) }],
  [
    "trino://reader@trino/c?storage=https://s3.example.org/ignored&storage=http://worker:8080",
    { storage: ["https://s3.example.org", "http://worker:8080"] },
  ],
])("reads %s", (address, expected) => {
  expect(parseAddress(sourceAt(address))).toMatchObject(expected);
});

it.each([
  ["reader@trino", "expected trino://user@host"],
  ["https://reader@trino/c", "got the scheme https://"],
  ["trino://reader:geheim@trino/c", "it has a password"],
  ["trino://trino/c", "the user is missing"],
  ["trino://a%0Ab@trino/c", "user: expected printable ASCII"],
  ["trino://reader@trino/c/s/t", "at most a catalog and a schema"],
  ["trino://reader@trino/%0A", "catalog and schema: expected ASCII"],
  [
    "trino://reader@trino/c?ssl=true",
    "unknown parameter ssl; expected SSL, catalogs, sessionUser, spooling, storage; did you mean SSL?",
  ],
  ["trino://reader@trino/c?sessionUser={user}", "sessionUser: it needs --run-as user"],
  ["trino://reader@trino/c?sessionUser=%0A", "sessionUser: expected printable ASCII"],
  ["trino://reader@trino/c?sessionUser=a&sessionUser={user}", "sessionUser: given twice"],
  ["trino://reader@trino/c?SSL=yes", "SSL: expected true or false"],
  ["trino://reader@trino/c?SSL=true&SSL=false", "SSL: given twice"],
  ["trino://reader@trino/c?catalogs=", "catalogs: expected names with commas"],
  ["trino://reader@trino/c?catalogs=a,,b", "catalogs: expected names with commas"],
  ["trino://reader@trino/c?storage=s3://bucket", "storage: expected an origin"],
  ["trino://reader@trino/c?storage=https://a:geheim@b", "storage: it has credentials"],
  ["trino://reader@trino/c#x", "it has a fragment"],
])("refuses %s", (address, reason) => {
  const check = (): void => checkSource(sourceAt(address));
  expect(check).toThrow(reason);
  expect(check).toThrow(/^Invalid address of the data source lake: [^\n]+\.$/);
  expect(check).not.toThrow("geheim");
});

it("refuses a source without an address, with a path, and with a password without TLS", () => {
  const { address: _, ...without } = sourceAt("");
  expect(() => checkSource(without)).toThrow("there is none");
  expect(() => checkSource(sourceAt("trino://a@b", { path: "/data" }))).toThrow("has no path");
  const password = { file: "/run/secrets/trino" };
  expect(() => checkSource(sourceAt("trino://a@b", { password }))).toThrow("add ?SSL=true");
  checkSource(sourceAt("trino://a@b?SSL=true", { password }));
});

it("admits a sessionUser with the user of the call only", () => {
  const check = (sessionUser: string) =>
    checkSource(sourceAt(`trino://reader@trino?sessionUser=${sessionUser}`, { runAs: "user" }));
  expect(() => check("acme")).toThrow("sessionUser: write {user} where the user of Trino has the id of the user.");
  check("acme.{user}");
});

it("reads each part of an address", () => {
  expect(
    parseAddress(sourceAt("trino://reader@trino:8080/A/b?SSL=TRUE&spooling=true&catalogs=x&sessionUser={user}")),
  ).toEqual({
    coordinator: "https://trino:8080",
    storage: [],
    user: "reader",
    sessionUser: "{user}",
    catalog: "A",
    schema: "b",
    catalogs: new Set(["a", "x"]),
    spooling: true,
  });
  expect(parseAddress(sourceAt("trino://reader@trino:443/?SSL=false")).coordinator).toBe("http://trino:443");
});

it.each([
  ["trino://reader@trino/c?spooling=no", "spooling: expected true or false"],
  ["trino://reader@trino/c?spooling=true&spooling=true", "spooling: given twice"],
  ["trino://reader@trino/c?catalogs=a&catalogs=b", "catalogs: given twice"],
  ["trino://reader@trino/c?catalogs=a b", "catalogs: expected names with commas"],
  ["trino://reader@trino/c/%C3%A4", "catalog and schema: expected ASCII"],
  ["trino://%ff@trino/c", "user: expected printable ASCII"],
  ["trino://a%20b@trino/c", "user: expected printable ASCII"],
  ["trino:///c", "the user is missing"],
  ["trino://reader@trino/c?storage=https://a@b", "storage: it has credentials"],
  ["trino://reader@trino/c?storage=no", "storage: expected an origin"],
  [
    "trino://reader@trino/c?zzzzzzzzzz=1",
    "unknown parameter zzzzzzzzzz; expected SSL, catalogs, sessionUser, spooling, storage.",
  ],
])("refuses the address %s", (address, reason) => {
  expect(() => checkSource(sourceAt(address))).toThrow(reason);
});

const form = "trino://user@host:port/catalog/schema?SSL=true";

it.each([
  ["trino://reader@/c", `expected ${form}`],
  ["https://reader@trino/c", `expected ${form}, got the scheme https://`],
  ["trino://reader:x@trino/c", "it has a password; give its file or variable as the password of the source"],
  ["trino://trino/c", `the user is missing; expected ${form}`],
  ["trino://reader@a%20b/c", `host: expected ${form}`],
  ["trino://reader@trino/c#x", "it has a fragment (#)"],
  ["trino://a%0Ab@trino/c", "user: expected printable ASCII characters"],
  ["trino://reader@trino/c/s/t", `expected at most a catalog and a schema; expected ${form}`],
  ["trino://reader@trino/%0A", "catalog and schema: expected ASCII characters"],
  [
    "trino://reader@trino/c?catalogs=",
    "catalogs: expected names with commas between them, such as catalogs=hive,system",
  ],
  ["trino://reader@trino/c?storage=no", "storage: expected an origin such as https://storage.example.org"],
  [undefined, `there is none; expected ${form}`],
])("says what is wrong with the address %s", (address, reason) => {
  const { address: _, ...source } = sourceAt("");
  const given = address === undefined ? source : { ...source, address };
  expect(() => checkSource(given)).toThrow(new Error(`Invalid address of the data source lake: ${reason}.`));
});

it("says that a path is to be removed, and that a password needs TLS", () => {
  expect(() => checkSource(sourceAt("trino://a@b", { path: "/data" }))).toThrow(
    new Error("Invalid data source lake: a Trino source has no path; remove it."),
  );
  expect(() => checkSource(sourceAt("trino://a@b", { password: { file: "/run/secrets/trino" } }))).toThrow(
    new Error("Invalid address of the data source lake: a password is sent over TLS only; add ?SSL=true."),
  );
});
