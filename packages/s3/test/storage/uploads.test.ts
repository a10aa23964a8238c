import { expect, it } from "vitest";
import { uploadsBelow } from "../../src/storage/uploads.ts";
import { scriptedStorage } from "../scripted-storage.ts";

it("yields the uploads of all pages", async () => {
  const pages = [
    { Uploads: [{ Key: "a" }, { Key: "b" }], IsTruncated: true, NextKeyMarker: "b", NextUploadIdMarker: "2" },
    { IsTruncated: true, NextKeyMarker: "c", NextUploadIdMarker: "" },
    { Uploads: [{ Key: "d" }], IsTruncated: false, NextKeyMarker: "d" },
    { Uploads: [{ Key: "e" }] },
  ];
  const storage = scriptedStorage((_command, _input, before) => pages[before]);
  expect(await Array.fromAsync(uploadsBelow(storage, "p/"))).toEqual([{ Key: "a" }, { Key: "b" }, { Key: "d" }]);
  const within = { Bucket: "bucket", Prefix: "p/" };
  expect(storage.requests).toEqual([
    ["ListMultipartUploads", within],
    ["ListMultipartUploads", { ...within, KeyMarker: "b", UploadIdMarker: "2" }],
    ["ListMultipartUploads", { ...within, KeyMarker: "c" }],
  ]);
});

it("ends at a page that names no next one", async () => {
  const storage = scriptedStorage(() => ({ IsTruncated: true }));
  expect(await Array.fromAsync(uploadsBelow(storage, ""))).toEqual([]);
  expect(storage.requests).toHaveLength(1);
});
