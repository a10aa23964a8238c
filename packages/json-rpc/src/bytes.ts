/** Text, or the UTF-8 of one. */
export type Piece = string | Uint8Array;

/** JSON text in pieces, where some are bytes already. */
export type Text = string | readonly Piece[];

const utf8 = new TextEncoder();

export function piecesOf(text: Text): readonly Piece[] {
  return typeof text === "string" ? [text] : text;
}

/** The JSON text of an array of texts. */
export function arrayText(texts: readonly Text[]): Text {
  return ["[", ...texts.flatMap((text, index) => (index === 0 ? text : [",", ...piecesOf(text)])), "]"];
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: Text): number {
  return piecesOf(text).reduce(
    (bytes, piece) => bytes + (typeof piece === "string" ? utf8.encode(piece) : piece).length,
    0,
  );
}

/** The same text in as few pieces as can be: strings beside each other become one. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const fewer: Piece[] = [];
  for (const piece of pieces) {
    const last = fewer.at(-1);
    if (typeof piece === "string" && typeof last === "string") fewer[fewer.length - 1] = last + piece;
    else fewer.push(piece);
  }
  return fewer;
}
