/** JSON text in pieces, where some are bytes already. */
export type Text = string | readonly (string | Uint8Array)[];

const utf8 = new TextEncoder();

/** Texts with a separator between, as one text. */
export function joinTexts(texts: readonly Text[], open: string, separator: string, close: string): Text {
  if (texts.every((text) => typeof text === "string")) return open + texts.join(separator) + close;
  return [
    open,
    ...texts.flatMap((text, index) =>
      index === 0 ? text : [separator, ...(typeof text === "string" ? [text] : text)],
    ),
    close,
  ];
}

/** The UTF-8 bytes of a text, each piece copied once. */
export function encodeText(text: Text): Uint8Array {
  if (typeof text === "string") return utf8.encode(text);
  const pieces = text.map((piece) => (typeof piece === "string" ? utf8.encode(piece) : piece));
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
