import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { EngineLostError, StatementError } from "@quern/adapter";
import { failure } from "../failure.ts";
import { type Connection, foreignHost, originOf } from "./connection.ts";
import { maxBodyBytes, send, tooLarge } from "./http.ts";
import { notTrino } from "./page.ts";

/** Encodings of segments that the adapter reads, the preferred one first. */
export const segmentEncodings = "json+zstd, json";

/** Part of the rows, inside a page or in a storage. */
interface Segment {
  readonly type: "inline" | "spooled";
  /** Bytes of an inline segment, as base64. */
  readonly data?: string;
  readonly uri?: string;
  readonly ackUri?: string;
  /** Headers of requests to `uri` and `ackUri`, such as the key of an encrypted segment. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly metadata?: { readonly uncompressedSize?: number };
}

const fetchMs = 30_000;
const ackMs = 1_000;

/**
 * Yields arrays of rows: the data of a page itself, or that of its segments.
 * @param data JSON of an array of rows, or of an object with segments
 * @throws {EngineLostError} if a segment cannot be fetched
 */
export async function* rowArrays(
  connection: Connection,
  data: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (data[0] === 0x5b) {
    yield data;
    return;
  }
  const { encoding, segments } = parseSegments(data);
  for (const segment of segments) {
    const bytes = segment.type === "inline" ? Buffer.from(segment.data ?? "", "base64") : await fetched(segment);
    yield await decoded(encoding, bytes, segment.metadata?.uncompressedSize);
    if (segment.type === "spooled") await acknowledge(segment);
  }

  /** Segments have a storage's own addresses, so they get their own headers, and never the credentials of the source. */
  async function request(url: string, { headers = {} }: Segment, retryMs: number): Promise<Uint8Array> {
    const { coordinator, storage } = connection.address;
    const origin = originOf(url);
    if (origin === undefined || ![coordinator, ...storage].includes(origin)) throw foreignHost(url, coordinator);
    const own = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(",")]));
    const { status, body } = await send({ method: "GET", url, headers: own, signal, retryMs });
    if (status < 200 || status >= 300)
      throw new EngineLostError(
        `A segment of the result cannot be fetched: ${origin} answered with the HTTP status ${status}.`,
      );
    return body;
  }
  async function fetched(segment: Segment): Promise<Uint8Array> {
    if (segment.uri === undefined) throw notTrino();
    return request(segment.uri, segment, fetchMs);
  }
  /** Lets Trino remove a segment early. Without it, Trino removes the segment when it expires. */
  async function acknowledge(segment: Segment): Promise<void> {
    if (segment.ackUri === undefined) return;
    await request(segment.ackUri, segment, ackMs).catch((error: unknown) => {
      if (!(error instanceof EngineLostError)) throw error;
    });
  }
}

function parseSegments(data: Uint8Array): { readonly encoding: string; readonly segments: readonly Segment[] } {
  const parsed: unknown = JSON.parse(Buffer.from(data).toString());
  if (typeof parsed !== "object" || parsed === null || !("encoding" in parsed) || !("segments" in parsed))
    throw notTrino();
  const { encoding, segments } = parsed;
  if (typeof encoding !== "string" || !Array.isArray(segments)) throw notTrino();
  return { encoding, segments };
}

/**
 * Decompresses a segment. Stops at its announced size, so that a small segment cannot fill the memory, and requires all
 * of it, because a segment that ends after the first of several frames would look complete.
 */
async function decoded(encoding: string, bytes: Uint8Array, announced: number | undefined): Promise<Uint8Array> {
  if (announced !== undefined && announced > maxBodyBytes) throw tooLarge();
  try {
    const rows = await decompress(encoding, bytes, announced);
    if (announced === undefined || rows.length === announced) return rows;
  } catch (error) {
    if (error instanceof StatementError) throw error;
  }
  throw failure(
    "InvalidResponse",
    "DATA_SOURCE",
    "Trino sent a segment that is damaged, or has not the announced size.",
  );
}

async function decompress(encoding: string, bytes: Uint8Array, announced: number | undefined): Promise<Uint8Array> {
  // Trino does not compress small segments. Only an array begins with a bracket.
  if (encoding === "json" || bytes[0] === 0x5b) return bytes;
  if (encoding === "json+zstd") {
    // One piece for all of it: joining small pieces takes as long as decompressing them. Node.js requires 64 bytes.
    const chunkSize = announced === undefined ? {} : { chunkSize: Math.max(announced + 1, 64) };
    return promisify(zstdDecompress)(bytes, { maxOutputLength: announced ?? maxBodyBytes, ...chunkSize });
  }
  const message = `Trino sent an unknown encoding of segments: ${encoding.slice(0, 50)}.`;
  throw failure("InvalidResponse", "DATA_SOURCE", message);
}
