import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { HeadObjectCommand } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import {
  isBucketMissing,
  isMissing,
  isOfStorage,
  isPreconditionFailed,
  isRefusal,
  unavailable,
  writeFailure,
} from "./failure.ts";
import type { Storage } from "./storage.ts";

/** Object to write. */
export interface NewObject {
  readonly key: string;
  readonly bytes: number;
  /** Texts that are stored beside the object. They tell it from one of another writer. */
  readonly Metadata: Readonly<Record<string, string>>;
  readonly ContentType: string;
  /** Content of the object, for messages, such as `results`. */
  readonly what: string;
}

/** Size of a part of an upload. Each upload has at most {@link partsInMemory} in memory. */
const partBytes = 5 * 1_048_576;
const partsInMemory = 3;
/** Largest number of parts that storages accept. */
const maxParts = 10_000;

/** Time for which an upload retries while the storage is unavailable, in milliseconds. */
const retryMs = 30_000;
const pauseMs = 1_000;

/**
 * Writes an object under a key that does not exist yet. Returns false if another writer has an object under the key.
 * @param read opens the content, once for each attempt
 * @throws {UnavailableError} if the storage is unavailable for longer than the upload is retried, or the bucket is missing
 * @throws {Error} if the storage refuses the upload, such as without the right to write
 */
export async function putFile(
  storage: Storage,
  { key, bytes, Metadata, ContentType, what }: NewObject,
  read: () => Readable,
): Promise<boolean> {
  const deadline = Date.now() + retryMs;
  for (;;) {
    const Body = read();
    try {
      await new Upload({
        client: storage.client,
        partSize: Math.max(partBytes, Math.ceil(bytes / maxParts) + 1_048_576),
        queueSize: partsInMemory,
        params: { Bucket: storage.address.bucket, Key: key, Body, Metadata, IfNoneMatch: "*", ContentType },
      }).done();
      return true;
    } catch (error) {
      Body.destroy();
      if (isPreconditionFailed(error)) {
        const isStored = await isOwn(storage, key, Metadata, what);
        // Without an object, an earlier request whose connection broke is still in progress at the storage.
        if (isStored !== undefined) return isStored;
      } else if (!isOfStorage(error)) throw error;
      // A bucket that was created again may have to be claimed before it is written to.
      else if (isRefusal(error) || isBucketMissing(error)) throw writeFailure(error, storage.address, what);
      if (Date.now() > deadline) throw unavailable(error, storage.address);
      await setTimeout(pauseMs);
    }
  }
}

/**
 * Returns true for an object that this writer has written before, for instance if the response to an earlier request was
 * lost. Returns undefined if there is no object.
 */
async function isOwn(
  storage: Storage,
  key: string,
  own: NewObject["Metadata"],
  what: string,
): Promise<boolean | undefined> {
  const { client, address } = storage;
  try {
    const { Metadata = {} } = await client.send(new HeadObjectCommand({ Bucket: address.bucket, Key: key }));
    return Object.entries(own).every(([name, value]) => Metadata[name] === value);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw writeFailure(error, address, what);
  }
}
