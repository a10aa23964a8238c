import { afterEach, expect, it, vi } from "vitest";
import { sweepSources } from "../../src/sources/sweep.ts";
import { scriptedStorage } from "../scripted-storage.ts";

afterEach(() => void vi.useRealTimers());

it("removes the files and uploads that are not needed, and no object with another name", async () => {
  vi.useFakeTimers({ now: 1_000, toFake: ["Date"] });
  const files = ["shop/1-0123abcd.duckdb", "Shop_2-a/10-0123abcd.12.duckdb", "shop/2-0123abcd.duckdb"];
  const others = [
    "index.json",
    "condition-1",
    "-shop/1-0123abcd.duckdb",
    "shop/x1-0123abcd.duckdb",
    "shop/1-0123abc.duckdb",
    "shop/1-0123abcd.duckdb.tmp",
    "a/shop/1-0123abcd.duckdb",
    "shop/1-0123ABCD.duckdb",
    "shop/1-0123abcd.x.duckdb",
  ];
  const key = (name: string) => `prefix/sources/${name}`;
  const at = new Date(500);
  const storage = scriptedStorage((command) => {
    if (command === "ListObjectsV2")
      return { Contents: [...files.slice(1), ...others].map((name) => ({ Key: key(name), LastModified: at })) };
    if (command === "ListMultipartUploads")
      return { Uploads: [...files, ...others].map((name, index) => ({ Key: key(name), UploadId: `${index}` })) };
    return undefined;
  });
  const asked: unknown[] = [];
  await sweepSources(storage, (name, addedAt) => {
    asked.push([name, addedAt]);
    return name === files[2];
  });
  const [first = "", second = "", third = ""] = files;
  expect(asked).toEqual([
    [second, 500] as const,
    [third, 500] as const,
    [first, 1_000] as const,
    [second, 1_000] as const,
    [third, 1_000] as const,
  ]);
  const within = { Bucket: "bucket", Prefix: "prefix/sources/" };
  expect(storage.requests).toEqual([
    ["ListObjectsV2", within],
    ["DeleteObject", { Bucket: "bucket", Key: key(second) }],
    ["ListMultipartUploads", within],
    ["AbortMultipartUpload", { Bucket: "bucket", Key: key(first), UploadId: "0" }],
    ["AbortMultipartUpload", { Bucket: "bucket", Key: key(second), UploadId: "1" }],
  ]);
});
