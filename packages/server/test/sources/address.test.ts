import { expect, it } from "vitest";
import { isBusy } from "../../src/common/sqlite-busy.ts";
import { checkSourceAddress } from "../../src/sources/address.ts";

it.each([
  ["trino://user@host:8080/catalog", "trino"],
  ["postgres://{user}@host/{database}", "postgres"],
  ["https://{user}@{host}.example/{database}?role={role}", "other"],
  ["other://host", "other"],
])("accepts the address %s", (address, kind) => {
  expect(checkSourceAddress("lake", address, kind)).toBeUndefined();
});

it.each([
  ["trino", "trino://user@host:port/catalog"],
  ["postgres", "postgres://user@host:port/database"],
  ["clickhouse", "clickhouse://user@host:port/database"],
  ["other", "other://host"],
])("names the form of an address of the kind %s", (kind, form) => {
  const message = `Invalid address of the data source lake: it is not a URL; write it as ${form}.`;
  expect(() => checkSourceAddress("lake", "a secret", kind)).toThrow(message);
});

it("refuses a password, also one beside placeholders", () => {
  for (const address of ["trino://user:word@host", "trino://{user}:{word}@host", "trino://host?password=word"])
    expect(() => checkSourceAddress("lake", address, "trino")).toThrow("the address contains a password");
});

it.each([
  [5, true],
  [5 + 256, true], // SQLITE_BUSY_RECOVERY
  [6, false],
  [256, false],
])("tells if the error %i of SQLite is that of a lock", (errcode, expected) => {
  expect(isBusy(Object.assign(new Error("locked"), { errcode }))).toBe(expected);
  expect([isBusy({ errcode }), isBusy(new Error("locked"))]).toEqual([false, false]);
});
