import { S3Client } from "@aws-sdk/client-s3";
import { parseAddress } from "../src/storage/address.ts";
import type { Storage } from "../src/storage/storage.ts";

/** Request to a storage: the name of its command, such as `GetObject`, and its parameters. */
export type Request = readonly [command: string, input: Readonly<Record<string, unknown>>];

/** Returns the answer to a request, or throws that of a storage which refuses it. */
type Answer = (command: string, input: Readonly<Record<string, unknown>>, before: number) => object | undefined;

/** Error as the SDK of AWS throws it. */
export function storageError(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
}

/**
 * Storage without a connection, at `s3://bucket/prefix`.
 * @param answer gets the number of requests before this one
 */
export function scriptedStorage(answer: Answer, clockDifferenceMs = 0): Storage & { readonly requests: Request[] } {
  const requests: Request[] = [];
  const client = new S3Client({ region: "eu-west-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } });
  Object.assign(client, {
    async send(command: { readonly constructor: { readonly name: string }; readonly input: Request[1] }) {
      const name = command.constructor.name.replace(/Command$/, "");
      requests.push([name, command.input]);
      return answer(name, command.input, requests.length - 1) ?? {};
    },
  });
  const address = parseAddress("s3://bucket/prefix?endpoint=https://storage.example.org");
  return { client, address, requests, clockDifferenceMs: () => clockDifferenceMs };
}

/** Body of an answer with these chunks, after which the connection breaks if there is an error. */
export function bodyOf(chunks: readonly (string | Uint8Array)[], error?: Error) {
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  return {
    async *[Symbol.asyncIterator]() {
      yield* bytes;
      if (error !== undefined) throw error;
    },
    transformToString: async () => Buffer.concat(bytes).toString(),
    transformToByteArray: async () => Buffer.concat(bytes),
  };
}

/** Object of a storage in memory. */
export interface MemoryObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
}

/** Answers requests from objects in memory, by their keys, with the conditions and ranges that S3 has. */
export function memoryAnswer(objects: Map<string, MemoryObject>): Answer {
  return (command, { Key, Body, Metadata, IfMatch, IfNoneMatch, Range, Prefix }, before) => {
    const key = String(Key);
    const found = objects.get(key);
    const isRead = command === "GetObject" || command === "HeadObject";
    if (isRead && found === undefined) throw storageError(command === "GetObject" ? "NoSuchKey" : "NotFound", 404);
    const isUnmet =
      (IfMatch !== undefined && IfMatch !== found?.etag) || (IfNoneMatch !== undefined && IfNoneMatch === "*" && found);
    if (isUnmet) throw storageError("PreconditionFailed", 412);
    if (command === "PutObject")
      objects.set(key, {
        bytes: Buffer.from(Body as Uint8Array),
        etag: `"${before}"`,
        Metadata: Metadata as MemoryObject["Metadata"],
      });
    if (command === "DeleteObject") objects.delete(key);
    if (command === "ListObjectsV2")
      return {
        Contents: [...objects.keys()].filter((each) => each.startsWith(String(Prefix))).map((Key) => ({ Key })),
      };
    if (!isRead || found === undefined) return undefined;
    const { bytes, etag } = found;
    const head = { ETag: etag, Metadata: found.Metadata, ContentLength: bytes.length };
    if (command === "HeadObject") return head;
    const [, from = "", to = ""] = /^bytes=(\d*)-(\d+)$/.exec(String(Range)) ?? [];
    const isEnd = from === "" && Range !== undefined;
    const start = isEnd ? Math.max(0, bytes.length - Number(to)) : Number(from);
    const part = bytes.subarray(start, from === "" ? undefined : Number(to) + 1);
    const range =
      Range === undefined ? {} : { ContentRange: `bytes ${start}-${start + part.length - 1}/${bytes.length}` };
    return { ...head, ...range, Body: bodyOf([part]) };
  };
}
