/** JSON text in pieces, where some are bytes already. */
export type Text = string | readonly (string | Uint8Array)[];

const utf8 = new TextEncoder();

function piecesOf(text: Text): readonly (string | Uint8Array)[] {
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

/** The UTF-8 of a text. What is bytes already is not copied; the strings between become one piece. */
export function encodeText(text: Text): readonly Uint8Array[] {
  const encoded: Uint8Array[] = [];
  let pending = "";
  const flush = (): void => {
    if (pending !== "") encoded.push(utf8.encode(pending));
    pending = "";
  };
  for (const piece of piecesOf(text)) {
    if (typeof piece === "string") {
      pending += piece;
    } else {
      flush();
      encoded.push(piece);
    }
  }
  flush();
  return encoded;
}
