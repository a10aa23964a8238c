import { open } from "node:fs/promises";
import { join } from "node:path";
import { paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { FetchObjects } from "@quern/adapter";
import { parseAddress } from "./storage/address.ts";
import { isMissing, isOfStorage, isPreconditionFailed, startFailure } from "./storage/failure.ts";
import { fetchRange } from "./storage/range.ts";
import { openStorage, type Storage } from "./storage/storage.ts";

/** Object as a list of the bucket describes it. */
interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

/** Copies the object at an address such as `s3://bucket/path/orders.parquet`, or all objects of a folder. */
export const fetchObjects: FetchObjects = async (url, directory, accepts) => {
  const address = parseAddress(url, "objects");
  const storage = openStorage(address);
  try {
    const found = await objectsAt(storage, address.prefix.replace(/\/$/, ""));
    if (found.length === 0)
      throw new Error(`No object found: ${address.text}; name an object, or a folder of objects without a wildcard.`);
    const accepted = found.filter(({ key }) => accepts(key));
    for (const [index, object] of accepted.entries()) {
      const [ending = ""] = /(?:\.[a-z]+){0,2}$/i.exec(object.key) ?? [];
      await copyObject(storage, object, join(directory, `${index + 1}${ending}`));
    }
    return accepted.length;
  } catch (error) {
    throw isOfStorage(error) ? startFailure(error, address) : error;
  } finally {
    storage.client.destroy();
  }
};

/** Lists the object with a key, or else the objects in the folder of this name. */
async function objectsAt({ client, address }: Storage, path: string): Promise<readonly ListedObject[]> {
  const below: ListedObject[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: address.bucket, Prefix: path }))
    for (const { Key: key = "", Size: bytes = 0, ETag: etag = "" } of Contents) {
      if (key === path) return [{ key, bytes, etag }];
      const isInFolder = path === "" || key.startsWith(`${path}/`);
      if (isInFolder && !key.endsWith("/")) below.push({ key, bytes, etag });
    }
  return below;
}

async function copyObject(storage: Storage, { key, bytes, etag }: ListedObject, path: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await fetchRange(storage, { key, etag }, { start: 0, end: bytes }, file);
  } catch (error) {
    if (isPreconditionFailed(error) || isMissing(error))
      throw new Error(
        `Object changed while it was read: ${key} in s3://${storage.address.bucket}; repeat the load when it is complete.`,
      );
    throw error;
  } finally {
    await file.close();
  }
}
