import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";
import { putFile } from "../../src/storage/put-file.ts";
import { openStorage, type Storage } from "../../src/storage/storage.ts";
import { type FakeStorage, startFakeStorage } from "../fake-storage.ts";

let fake: FakeStorage;
let storage: Storage;
beforeEach(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  fake = await startFakeStorage();
  storage = openStorage(parseAddress(`s3://results?endpoint=${fake.endpoint}`));
});
afterEach(async () => {
  storage.client.destroy();
  await fake[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

const put = () => {
  const labels = { Metadata: {}, ContentType: "text/plain", what: "results" };
  return putFile(storage, { key: "results/run.1.parquet", bytes: 4, ...labels }, () => Readable.from(["rows"]));
};

it("repeats an upload that conflicts with one whose connection broke, and that has left no object", async () => {
  const puts: string[] = [];
  fake.answer = (method) => {
    if (method !== "PUT") return undefined;
    puts.push(method);
    return puts.length === 1 ? { status: 409, code: "ConditionalRequestConflict" } : undefined;
  };
  expect(await put()).toBe(true);
  expect([puts.length, fake.objects.get("results/run.1.parquet")]).toEqual([2, "rows"]);
});
