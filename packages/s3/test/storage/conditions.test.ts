import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { writeIndex } from "../../src/sources/index-object.ts";
import { parseAddress } from "../../src/storage/address.ts";
import { claimStorage } from "../../src/storage/marker.ts";
import { openStorage, type Storage } from "../../src/storage/storage.ts";
import { type FakeStorage, startFakeStorage } from "../fake-storage.ts";

let fake: FakeStorage;
let storage: Storage;
beforeEach(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  fake = await startFakeStorage();
  storage = openStorage(parseAddress(`s3://shared?endpoint=${fake.endpoint}`));
});
afterEach(async () => {
  storage.client.destroy();
  await fake[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

it("refuses each first index in a storage that ignores the conditions of writes, and leaves none", async () => {
  for (let command = 0; command < 2; command += 1) {
    await expect(writeIndex(storage, undefined, "index")).rejects.toThrow(/ignores If-Match or If-None-Match/);
    expect([...fake.objects]).toEqual([]);
  }
});

it("refuses each first index in a storage that ignores If-Match only", async () => {
  fake.answer = (method, key, headers) =>
    method === "PUT" && headers["if-none-match"] === "*" && fake.objects.has(key)
      ? { status: 412, code: "PreconditionFailed" }
      : undefined;
  for (let command = 0; command < 2; command += 1)
    await expect(writeIndex(storage, undefined, "index")).rejects.toThrow(/ignores If-Match or If-None-Match/);
  await claimStorage(storage, "service"); // results are never replaced
  expect([...fake.objects.keys()]).toEqual(["quern.json"]);
});

it("refuses each start of a service in a storage that ignores If-None-Match, and leaves no claim", async () => {
  const warn = vi.spyOn(console, "warn");
  for (let start = 0; start < 2; start += 1) {
    await expect(claimStorage(storage, "service")).rejects.toThrow(/ignores If-None-Match, so results could be/);
    expect([...fake.objects]).toEqual([]);
  }
  expect(warn).not.toHaveBeenCalled();
});
