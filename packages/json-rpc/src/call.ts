import { type Piece, piecesOf, type Text } from "./bytes.ts";
import { isObject } from "./json-object.ts";
import type { ErrorObject } from "./method.ts";

/**
 * Returns a request as JSON text, with one object as its only positional parameter. A number that JSON would replace is
 * text: NaN and the infinities, and an integer beyond 2^53 - 1 whose last digits JavaScript writes as zeros.
 */
export function encodeRequest(id: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params: [params], id }, (_, value) => {
    const isKept = typeof value !== "number" || isWritten(value);
    return isKept ? value : String(Number.isFinite(value) ? BigInt(value) : value);
  });
}

/** Tells whether JSON has the value of a number. From 1e21 on, JavaScript writes an exponent, which stands for a double. */
export function isWritten(value: number): boolean {
  return (
    Number.isFinite(value) && (value % 1 !== 0 || Math.abs(value) >= 1e21 || String(value) === String(BigInt(value)))
  );
}

/** Id of a reply: null if the server could not read the id of the request, undefined if it sent none. */
export type ReplyId = number | string | null | undefined;

/** Reply of a server: its id, and a result or an error. */
export type DecodedReply =
  | { readonly id: ReplyId; readonly result: unknown; readonly error?: undefined }
  | { readonly id: ReplyId; readonly error: ErrorObject };

function isId(value: unknown): value is ReplyId {
  return value === undefined || value === null || typeof value === "number" || typeof value === "string";
}

function isError(value: unknown): value is ErrorObject {
  return isObject(value) && typeof value.code === "number" && typeof value.message === "string";
}

/**
 * Reads one parsed response object. It requires either a `result` or an `error` with code and message; the other one
 * may be null. It accepts replies without `jsonrpc` or an id, as some servers send them.
 * @returns the reply, or undefined if the value is not a reply.
 */
export function decodeReply(value: unknown): DecodedReply | undefined {
  if (!isObject(value) || !isId(value.id)) return undefined;
  const { id, result, error } = value;
  if (error === undefined || error === null) return result === undefined ? undefined : { id, result };
  return isError(error) && (result === undefined || result === null) ? { id, error } : undefined;
}

/** Returns a successful response object as JSON text in pieces: a large result is neither parsed nor copied. */
export function encodeResult(idText: string, result: Text): readonly Piece[] {
  return [`{"jsonrpc":"2.0","id":${idText},"result":`, ...piecesOf(result), "}"];
}

/** Returns an error response object as JSON text. */
export function encodeError(idText: string, error: ErrorObject): string {
  const { code, message, data } = error;
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(data === undefined ? { code, message } : { code, message, data })}}`;
}
