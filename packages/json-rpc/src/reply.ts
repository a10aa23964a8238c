import type { Piece } from "./bytes.ts";
import type { ErrorObject } from "./method.ts";

/** A successful response object as JSON text in pieces: a large result is neither read nor copied again. */
export function encodeResult(idText: string, result: Piece): readonly Piece[] {
  return [`{"jsonrpc":"2.0","id":${idText},"result":`, result, "}"];
}

/** A failed response object as JSON text. */
export function encodeError(idText: string, error: ErrorObject): string {
  const { code, message, data } = error;
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(data === undefined ? { code, message } : { code, message, data })}}`;
}
