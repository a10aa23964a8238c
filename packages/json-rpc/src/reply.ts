import type { ErrorObject } from "./method.ts";

/** A successful response object as JSON text, put together from texts: a large result is not read again. */
export function encodeResult(idText: string, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":${resultText}}`;
}

/** The same for a result that is UTF-8 already, in pieces. */
export function encodeResultBytes(idText: string, result: Uint8Array): readonly (string | Uint8Array)[] {
  return [`{"jsonrpc":"2.0","id":${idText},"result":`, result, "}"];
}

/** A failed response object as JSON text. */
export function encodeError(idText: string, error: ErrorObject): string {
  const { code, message, data } = error;
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(data === undefined ? { code, message } : { code, message, data })}}`;
}
