import type { Reply } from "@quern/json-rpc/handler";

/** A JSON-RPC reply, or something like one. */
export interface ReplyObject {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [more: string]: unknown;
}

/** The text of a reply that is there already. */
export function textOf({ body }: Reply): string {
  const decoder = new TextDecoder();
  return (body ?? []).map((piece) => (typeof piece === "string" ? piece : decoder.decode(piece))).join("");
}
