import { createZstdDecompress } from "node:zlib";
import { EngineLostError, isEngineLostError, isStatementError } from "@quern/adapter";
import { failure } from "../failure.ts";
import { type Connection, foreignHost, originOf } from "./connection.ts";
import { maxBodyBytes, send, tooLarge, uncompressed } from "./http.ts";
import { isArray, notTrino } from "./page.ts";
import type { Query } from "./query.ts";
import { readAhead } from "./read-ahead.ts";

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
  readonly metadata?: { readonly uncompressedSize?: number; readonly rowsCount?: number };
}

const fetchMs = 30_000;
const ackMs = 1_000;
/** Size of a piece after decompression. Smaller ones cost more time each, larger ones stay in memory for longer. */
const pieceBytes = 262_144;

/** Rows of a result, and their number as Trino announces it. */
export interface RowArrays {
  readonly arrays: AsyncGenerator<AsyncIterable<Uint8Array>>;
  /** Undefined if a part of the rows came without its number. */
  readonly rowCount: () => number | undefined;
}

/**
 * Returns arrays of rows in pieces: the data of the pages themselves, or that of their segments. While the caller takes an
 * array, the next page and the next segment are fetched.
 * @throws {EngineLostError} if a page or segment cannot be fetched
 */
export function rowArrays(connection: Connection, { data, signal }: Pick<Query, "data" | "signal">): RowArrays {
  /** The last acknowledgement. There is one in progress at most. */
  let acknowledged = Promise.resolve();
  let rowCount: number | undefined = 0;
  return { arrays: allArrays(), rowCount: () => rowCount };

  async function* allArrays(): AsyncGenerator<AsyncIterable<Uint8Array>> {
    yield* readAhead(arrays());
    await acknowledged;
  }

  async function* arrays(): AsyncGenerator<AsyncIterable<Uint8Array>> {
    for await (const page of readAhead(data())) {
      if (isArray(page)) {
        rowCount = undefined;
        yield once(page);
        continue;
      }
      const { encoding, segments } = parseSegments(page);
      for (const segment of segments) {
        const announced = segment.metadata?.rowsCount;
        rowCount = rowCount === undefined || announced === undefined ? undefined : rowCount + announced;
        yield rowsOf(segment, encoding, await bytesOf(segment));
      }
    }
  }
  async function* rowsOf(segment: Segment, encoding: string, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield* decoded(encoding, bytes, segment.metadata?.uncompressedSize);
    await acknowledged;
    acknowledged = acknowledge(segment);
    acknowledged.catch(() => {}); // reported by the next segment, or after the last one
  }
  async function bytesOf(segment: Segment): Promise<Uint8Array> {
    return segment.type === "inline" ? Buffer.from(segment.data ?? "", "base64") : fetched(segment);
  }
  /** Segments have a storage's own addresses, so they get their own headers, and never the credentials of the source. */
  async function request(url: string, { headers = {} }: Segment, retryMs: number): Promise<Uint8Array> {
    const { coordinator, storage } = connection.address;
    const origin = originOf(url);
    if (origin === undefined || ![coordinator, ...storage].includes(origin)) throw foreignHost(url, coordinator);
    const own = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(",")]));
    const { status, body } = await send({ method: "GET", url, headers: { ...uncompressed, ...own }, signal, retryMs });
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
      if (!isEngineLostError(error)) throw error;
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
async function* decoded(
  encoding: string,
  bytes: Uint8Array,
  announced: number | undefined,
): AsyncGenerator<Uint8Array> {
  if (announced !== undefined && announced > maxBodyBytes) throw tooLarge();
  let size = 0;
  try {
    for await (const piece of decompressed(encoding, bytes)) {
      size += piece.length;
      if (size > (announced ?? maxBodyBytes)) throw damaged();
      yield piece;
    }
  } catch (error) {
    throw isStatementError(error) ? error : damaged();
  }
  if (announced !== undefined && size < announced) throw damaged();
}

function decompressed(encoding: string, bytes: Uint8Array): AsyncIterable<Uint8Array> {
  // Trino does not compress small segments.
  if (encoding === "json" || isArray(bytes)) return once(bytes);
  if (encoding === "json+zstd") return createZstdDecompress({ chunkSize: pieceBytes }).end(bytes);
  const message = `Trino sent an unknown encoding of segments: ${encoding.slice(0, 50)}.`;
  throw failure("InvalidResponse", "DATA_SOURCE", message);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function damaged(): Error {
  const message = "Trino sent a segment that is damaged, or has not the announced size.";
  return failure("InvalidResponse", "DATA_SOURCE", message);
}
