import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import type { RowsResult } from "@quern/adapter";
import { resultTooLarge } from "../results/result-cap.ts";

/** Bytes of rows, or their text. */
export type Piece = Uint8Array | string;

/** Smallest length of a piece of rows, in characters, except the last piece. */
const pieceLength = 65_536;

/**
 * Yields rows as lines of JSON, in pieces of many lines.
 * @param counted is called with the number of rows at their end
 * @throws {StatementError} `ResultTooLarge` after `maxRows` rows
 */
export async function* rowLines(
  { rows }: RowsResult,
  maxRows: number,
  counted = (_: number): void => {},
): AsyncGenerator<string> {
  let piece = "";
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count > maxRows) throw resultTooLarge(`${maxRows} rows`);
    piece += `[${row.map(jsonValue).join(",")}]\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  counted(count);
  yield piece;
}

/**
 * Yields the items of a source until the signal is aborted, and throws its reason then, even while the source waits.
 */
export async function* itemsUntilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
    // A source that still waits would resolve `return()` only after its wait, so an abort does not await it.
    const returned = iterator.return?.();
    if (signal.aborted) returned?.catch(() => {});
    else await returned;
  }
}

/** Bytes from which a result counts as large. */
const largeBytes = 4_000_000;

/** Reads the first pieces of a result to find its size. Returns them followed by the others. */
export async function startOf(source: AsyncGenerator<Piece, void>): Promise<{
  readonly pieces: AsyncIterable<Piece>;
  readonly isLarge: boolean;
}> {
  const first: Piece[] = [];
  for (let bytes = 0; bytes < largeBytes; ) {
    const next = await source.next();
    if (next.done) return { pieces: chain(first), isLarge: false };
    first.push(next.value);
    bytes += Buffer.byteLength(next.value);
  }
  return { pieces: chain(first, source), isLarge: true };
}

async function* chain(first: Piece[], others?: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  for (let piece = first.shift(); piece !== undefined; piece = first.shift()) yield piece;
  if (others !== undefined) yield* others;
}

/**
 * Writes pieces to a new file, which remains incomplete if the pieces fail. Requests no further piece while the buffer of
 * the file's stream is full.
 * @throws {StatementError} `ResultTooLarge` beyond `maxBytes`
 */
export async function writePieces(
  path: string,
  pieces: AsyncIterable<Piece>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  // A write in progress when `pieces` fails reports an error after `destroy`, which would end the service.
  file.on("error", () => {});
  try {
    for await (const piece of pieces) {
      if (file.errored !== null) throw file.errored;
      if (!file.write(piece)) await once(file, "drain", { signal });
      if (file.bytesWritten + file.writableLength > maxBytes) throw resultTooLarge(`${maxBytes} bytes of text`);
    }
    file.end();
    await finished(file, { signal });
  } finally {
    file.destroy();
  }
}

/**
 * Returns a JavaScript value as JSON, with every digit: a `bigint` as a number, a date as ISO 8601, bytes as base64.
 */
function jsonValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      // The engine reads -0 as the integer 0, which has no sign.
      if (Object.is(value, -0)) return "-0.0";
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case "bigint":
    case "boolean":
      return String(value);
    case "undefined":
      return "null";
    case "object":
      return value === null ? "null" : jsonObject(value);
    default:
      throw new TypeError(`Unsupported value in a row: ${typeof value}; use JSON values, bigints, dates or bytes`);
  }
}

function jsonObject(value: object): string {
  if (value instanceof Date) return JSON.stringify(value.toISOString()); // throws for an invalid date
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map(jsonValue).join(",")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonValue(member)}`);
  return `{${members.join(",")}}`;
}
