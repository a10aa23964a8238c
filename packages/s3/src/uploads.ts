import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import type { UploadFiles } from "@quern/adapter";
import { isMissing, isOfStorage, unavailable } from "./storage/failure.ts";
import { putFile } from "./storage/put-file.ts";
import { fetchRange } from "./storage/range.ts";
import type { Storage } from "./storage/storage.ts";
import { uploadsBelow } from "./storage/uploads.ts";

/** Creates the store of uploaded files below the address of the results. */
export function createUploadFiles(storage: Storage): UploadFiles {
  const { client, address } = storage;
  const Bucket = address.bucket;
  const prefix = `${address.prefix}uploads/`;

  async function described<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw isOfStorage(error) ? unavailable(error, address) : error;
    }
  }

  async function copy(key: string, path: string): Promise<boolean> {
    const file = await open(path, "wx", 0o600);
    try {
      const head = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
      const { ContentLength = 0, ETag: etag = "" } = head;
      await fetchRange(storage, { key, etag }, { start: 0, end: ContentLength }, file);
      return true;
    } catch (error) {
      await rm(path, { force: true });
      if (isMissing(error)) return false;
      throw error;
    } finally {
      await file.close();
    }
  }

  async function sweep(isNeeded: (id: string) => Promise<boolean>): Promise<void> {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
      for (const { Key = "" } of Contents)
        if (!(await isNeeded(Key.slice(prefix.length)))) await client.send(new DeleteObjectCommand({ Bucket, Key }));
    for await (const { Key = "", UploadId } of uploadsBelow(storage, prefix))
      if (!(await isNeeded(Key.slice(prefix.length))))
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }

  return {
    async add(id, path) {
      const { size: bytes } = await stat(path);
      const Metadata = { "quern-writer": randomUUID() };
      const object = { key: prefix + id, bytes, Metadata, ContentType: "application/octet-stream", what: "uploads" };
      if (!(await putFile(storage, object, () => createReadStream(path)))) return false;
      await rm(path, { force: true });
      return true;
    },
    fetch: (id, path) => described(copy(prefix + id, path)),
    async remove(id) {
      await described(client.send(new DeleteObjectCommand({ Bucket, Key: prefix + id })));
    },
    sweep: (isNeeded) => described(sweep(isNeeded)),
  };
}
