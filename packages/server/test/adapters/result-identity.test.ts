import type { SettingStore } from "@quern/adapter";
import { beforeEach, expect, it } from "vitest";
import {
  adoptResults,
  checkedIdentity,
  copyIdentity,
  isOfResults,
  nextIdentity,
  rememberAddress,
  resultAddress,
  resultIdentity,
} from "../../src/adapters/result-identity.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";

const bucket = "s3://bucket/prefix";
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

let settings: SettingStore;
beforeEach(() => {
  settings = openSqliteStore(":memory:").settings;
});

it("gives a service an id once, with which it claims a bucket, and remembers its address", async () => {
  const identity = await resultIdentity(settings);
  expect(identity).toEqual({ serviceId: uuid, previousUrl: undefined, claims: true });
  await rememberAddress(settings, bucket);
  expect(await resultIdentity(settings)).toEqual({ ...identity, previousUrl: bucket });
  await rememberAddress(settings, undefined);
  expect([await resultAddress(settings), await settings.get("resultStoreAddress")]).toEqual([undefined, "null"]);
});

it("checks an identity without a change of the store", async () => {
  expect(await checkedIdentity(settings)).toEqual({ serviceId: uuid, previousUrl: undefined, claims: false });
  expect(await settings.get("resultStoreId")).toBeUndefined();
  const { serviceId } = await resultIdentity(settings);
  await rememberAddress(settings, bucket);
  expect(await checkedIdentity(settings)).toEqual({ serviceId, previousUrl: bucket, claims: false });
});

it("keeps the id of a move until the results are adopted, and then begins another", async () => {
  const { serviceId: before } = await resultIdentity(settings);
  const next = await nextIdentity(settings);
  expect(next).toEqual({ serviceId: uuid, previousUrl: undefined, claims: true });
  expect(next.serviceId).not.toBe(before);
  expect(await nextIdentity(settings)).toEqual(next);
  await adoptResults(settings, bucket);
  expect(await resultIdentity(settings)).toEqual({ ...next, previousUrl: bucket });
  expect((await nextIdentity(settings)).serviceId).not.toBe(next.serviceId);
  await adoptResults(settings, undefined);
  expect(await resultAddress(settings)).toBeUndefined();
});

it("copies the id and the address to a store without them, but not the id of a move", async () => {
  const target = openSqliteStore(":memory:").settings;
  await copyIdentity(settings, target);
  expect(await target.get("resultStoreId")).toBeUndefined();
  const { serviceId } = await resultIdentity(settings);
  await rememberAddress(settings, bucket);
  await nextIdentity(settings);
  await copyIdentity(settings, target);
  expect(await resultIdentity(target)).toEqual({ serviceId, previousUrl: bucket, claims: true });
  expect(await target.get("nextResultStoreId")).toBeUndefined();
});

it("tells the settings of the results from others", () => {
  const names = ["resultStoreId", "resultStoreAddress", "nextResultStoreId", "linkSecret"];
  expect(names.filter(isOfResults)).toEqual(names.slice(0, 3));
});
