/** Part of a text: a string, or bytes in UTF-8. */
export type Piece = string | Uint8Array;

/** JSON text, whole or in pieces. */
export type Text = string | readonly Piece[];

const utf8 = new TextEncoder();

export function piecesOf(text: Text): readonly Piece[] {
  return typeof text === "string" ? [text] : text;
}

/** Returns the JSON text of an array whose items are JSON texts. */
export function arrayText(texts: readonly Text[]): Text {
  return ["[", ...texts.flatMap((text, index) => (index === 0 ? text : [",", ...piecesOf(text)])), "]"];
}

/** Returns the length of a text in bytes of UTF-8. */
export function byteLength(text: Text): number {
  return piecesOf(text).reduce(
    (bytes, piece) => bytes + (typeof piece === "string" ? utf8.encode(piece) : piece).length,
    0,
  );
}

/** Joins adjacent strings, so that the text has fewer pieces. Byte arrays are not copied. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === "string" && typeof last === "string") merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  return merged;
}

/** Byte arrays that are sent once. */
const sentOnce = new WeakSet<Uint8Array>();

/** Marks the byte arrays of a text, whose memory nothing else uses, to be freed once they are sent. */
export function markSentOnce(text: Text): void {
  for (const piece of piecesOf(text)) if (typeof piece !== "string") sentOnce.add(piece);
}

/** `ArrayBuffer` with a method that TypeScript's ES2023 library does not declare yet, and Node 20 does not have. */
type Transferable = ArrayBufferLike & { readonly transfer?: (newByteLength: number) => ArrayBuffer };

/**
 * Returns a function that frees a piece; undefined unless the piece is marked and its buffer has no other bytes. A small
 * `Buffer` is a part of a pool that Node.js shares among all of them. The garbage collector would let many of
 * them accumulate, because their memory is outside its heap.
 */
export function freeing(piece: Piece): (() => void) | undefined {
  if (typeof piece === "string" || !sentOnce.has(piece)) return undefined;
  const buffer: Transferable = piece.buffer;
  if (piece.byteLength !== buffer.byteLength) return undefined;
  return () => void buffer.transfer?.(0);
}
