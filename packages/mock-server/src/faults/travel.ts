import type { Piece, Reply } from "@quern/json-rpc/handler";
import type { Travel } from "./fault.ts";

/** Between two blanks of an answer that never comes to its end. */
const trickleMs = 5;
const utf8 = new TextEncoder();
const blank = utf8.encode(" ");

/** What `fetch` rejects with where a connection ends before its answer. */
function lost(message: string, code: "ECONNRESET" | "UND_ERR_SOCKET"): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error("the connection is gone"), { code }) });
}

/** Waits until the caller gives up. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = (): void => reject(signal.reason);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}

async function* bytesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1);
}

/** A stream of no pieces, which ends as the promise does. */
function ending(end: () => Promise<never>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: end }) };
}

async function* blanks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    yield blank;
    await new Promise((resolve) => setTimeout(resolve, trickleMs));
  }
  throw signal.reason;
}

/** A reply on its way as a fault says. Rejects where no answer comes. */
export async function traveling(reply: Reply, travel: Travel, signal: AbortSignal): Promise<Reply> {
  if (travel === "whole") return reply;
  if (travel === "silence") return forever(signal);
  if (travel === "no answer, closed") throw lost("fetch failed", "UND_ERR_SOCKET");
  if (travel === "no answer, reset") throw lost("fetch failed", "ECONNRESET");
  const body = joined(reply.body ?? []);
  if (travel === "bytes") return { ...reply, body: [], stream: bytesOf(body) };
  if (travel === "trickle") return { ...reply, body: [], stream: blanks(signal) };
  const ends = {
    cut: () => Promise.reject(lost("terminated", "UND_ERR_SOCKET")),
    reset: () => Promise.reject(lost("terminated", "ECONNRESET")),
    stall: () => forever(signal),
  };
  return {
    ...reply,
    headers: { ...reply.headers, "content-length": String(body.length) },
    body: [body.subarray(0, body.length / 2)],
    stream: ending(ends[travel]),
  };
}

function joined(body: readonly Piece[]): Uint8Array {
  const pieces = body.map((piece) => (typeof piece === "string" ? utf8.encode(piece) : piece));
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
