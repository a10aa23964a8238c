import type { FileHandle } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { UnavailableError } from "@quern/adapter";
import { isMissing, isPreconditionFailed } from "./failure.ts";
import type { Storage } from "./storage.ts";

/** Bytes of an object, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Object whose content is known. */
interface KnownObject {
  readonly key: string;
  readonly etag: string;
}

/** Times that a broken connection is continued without a byte received. */
const maxFailures = 4;
const pauseMs = 250;

/** Reads a range into memory. @throws if the object was replaced */
export async function readRange(storage: Storage, object: KnownObject, range: ByteRange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(storage, object, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Writes a range to a file, at the offset that it has in the object.
 * @returns its CRC-32
 * @throws if the object was replaced
 */
export async function fetchRange(
  storage: Storage,
  object: KnownObject,
  range: ByteRange,
  file: FileHandle,
): Promise<number> {
  let crc = 0;
  let at = range.start;
  for await (const chunk of chunksOf(storage, object, range)) {
    crc = crc32(chunk, crc);
    await file.write(chunk, 0, chunk.length, at);
    at += chunk.length;
  }
  return crc;
}

/** Yields the bytes of a range. After a broken connection it continues where the connection ended. */
async function* chunksOf(
  { client, address }: Storage,
  { key, etag }: KnownObject,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let failures = 0;
  for (let at = start; at < end; ) {
    try {
      const request = { Bucket: address.bucket, Key: key, IfMatch: etag, Range: `bytes=${at}-${end - 1}` };
      const { Body } = await client.send(new GetObjectCommand(request));
      for await (const chunk of Body as AsyncIterable<Buffer>) {
        if (at + chunk.length > end)
          throw new UnavailableError(`The object storage sent more of ${key} than requested.`);
        at += chunk.length;
        failures = 0;
        yield chunk;
      }
      if (at < end) throw new UnavailableError(`The object storage sent less of ${key} than requested.`);
    } catch (error) {
      failures += 1;
      // The client has repeated a request without an answer. A longer outage is for the caller to wait for.
      const isInterrupted = at > start && failures <= maxFailures;
      if (!isInterrupted || isMissing(error) || isPreconditionFailed(error)) throw error;
      await setTimeout(pauseMs * 2 ** failures);
    }
  }
}
