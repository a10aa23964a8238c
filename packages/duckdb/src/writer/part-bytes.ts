import { type EncodedResult, StatementError } from "@quern/adapter";
import type { Piece } from "./rows-file.ts";

/** The engine takes one off the start of CSV. Without this one, it would be that of the first cell. */
const byteOrderMark = "\uFEFF";

/** Yields the bytes of all parts: CSV after a byte order mark, JSON as one array with the rows of all parts. */
export async function* partBytes({ parts, encoding }: EncodedResult): AsyncGenerator<Piece> {
  if (encoding === "csv") yield byteOrderMark;
  let separator = "[";
  for await (const part of parts) {
    if (encoding === "csv") {
      yield* part;
      continue;
    }
    for await (const piece of withoutBrackets(part)) {
      if (separator !== "") yield separator;
      yield piece;
      separator = "";
    }
    if (separator === "") separator = ",";
  }
  if (encoding === "csv") return;
  if (separator === "[") yield separator;
  yield "]\n";
}

/** Yields the bytes between the brackets of an array; nothing for an empty one. @throws {StatementError} for other bytes */
async function* withoutBrackets(part: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isOpen = false;
  // Its last byte can be the closing bracket.
  let held: Uint8Array = Buffer.alloc(0);
  for await (let piece of part) {
    if (!isOpen) {
      piece = piece.subarray(spaceBefore(piece));
      if (piece.length === 0) continue;
      if (piece[0] !== openBracket) throw notArray();
      isOpen = true;
      piece = piece.subarray(1);
    }
    if (spaceBefore(held) === held.length) {
      // Space at the start of an array, or at the start of a piece. At the end, it would hide the bracket.
      held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    } else if (spaceBefore(piece) === piece.length) {
      held = Buffer.concat([held, piece]);
    } else {
      yield held;
      held = piece;
    }
  }
  const end = held.length - spaceAfter(held) - 1;
  if (held[end] !== closeBracket) throw notArray();
  const last = held.subarray(0, end);
  if (spaceBefore(last) < last.length) yield last;
}

const openBracket = 0x5b;
const closeBracket = 0x5d;
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function spaceBefore(bytes: Uint8Array): number {
  let length = 0;
  while (length < bytes.length && spaces.has(bytes[length])) length += 1;
  return length;
}

function spaceAfter(bytes: Uint8Array): number {
  let length = 0;
  while (length < bytes.length && spaces.has(bytes[bytes.length - 1 - length])) length += 1;
  return length;
}

function notArray(): StatementError {
  return new StatementError({
    name: "InvalidValue",
    message: "Invalid value in a row of the data source: Malformed JSON: a part of the result is not a whole array.",
    data: { category: "DATA_SOURCE", retryable: false },
  });
}
