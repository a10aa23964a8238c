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
