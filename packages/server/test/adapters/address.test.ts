import { expect, it } from "vitest";
import { checkNoSecret } from "../../src/adapters/address.ts";
import {
  checkResultsAddress,
  checkSourcesAddress,
  checkStoreAddress,
  renewalMsOf,
} from "../../src/adapters/storage-options.ts";

it.each([
  ["postgres://user@host/database", "s3://bucket/prefix"],
  ["postgresql://host/database?sslmode=require", "s3://bucket?region=eu"],
])("accepts the store %s and the bucket %s", (store, bucket) => {
  expect(checkStoreAddress(store)).toBeUndefined();
  expect(checkResultsAddress(bucket)).toBeUndefined();
  expect(checkSourcesAddress(bucket)).toBeUndefined();
});

it.each([
  ["nothing", "it is not an address"],
  ["mysql://host/database", "unknown scheme mysql://"],
  ["postgres://user:word@host/database", "contains a password"],
  ["postgres:/user:word@host", "contains a password"],
  ["postgres://host/database?password=x", "contains a password"],
  ["postgres://host/database?a=1&dbSecret=x", "contains a password"],
  ["postgres://host/database?TOKEN=x", "contains a password"],
  ["postgres://host/database?accessKeyId=x", "contains a password"],
  ["postgres://host/database?credentials=x", "contains a password"],
])("refuses the store %s without quoting its secret", (address, message) => {
  expect(() => checkStoreAddress(address)).toThrow(
    `Invalid setting store: ${message.replace("contains", "the address contains")}`,
  );
});

it.each(["nothing", "https://bucket", "s3://key:word@bucket"])("refuses the bucket %s", (address) => {
  expect(() => checkResultsAddress(address)).toThrow("Invalid setting results:");
  expect(() => checkSourcesAddress(address)).toThrow("Invalid setting sources:");
});

it("takes no colon in a path for a password", () => {
  expect(checkNoSecret("the address", new URL("https://host/a:b@c"), "remove it")).toBeUndefined();
  expect(checkNoSecret("the address", new URL("file:/a:b"), "remove it")).toBeUndefined();
});

it("renews leases three times before they end", () => {
  expect(renewalMsOf(30_000)).toBe(10_000);
});
