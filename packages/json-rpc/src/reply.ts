import { type Piece, piecesOf, type Text } from "./bytes.ts";

/** Headers of an HTTP request, such as `Headers`. Names are case-insensitive. */
export interface RequestHeaders {
  get(name: string): string | null;
  /** Address of the client, if the transport knows it. */
  readonly address?: string | undefined;
}

/** HTTP response. The body is JSON in consecutive pieces, or null for a response without a body (204). */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Piece[] | null;
  /**
   * Chunks that follow the body. If the stream throws, the response stays incomplete. In Node the connection is then
   * closed, or reset if the cause of the error has the code `ECONNRESET`.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Called by `createRequestListener` when the whole body has been sent, and not if the client has disconnected before. */
  readonly onSent?: () => void;
}

const jsonHeaders = { "content-type": "application/json" };

/** Returns a reply with JSON text as its body. */
export function jsonReply(text: Text, status = 200, more?: Readonly<Record<string, string>>): Reply {
  return { status, headers: more === undefined ? jsonHeaders : { ...jsonHeaders, ...more }, body: piecesOf(text) };
}
