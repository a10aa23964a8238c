import type { Piece, Reply } from "@quern/json-rpc/handler";
import type { ConnectionFault } from "./fault.ts";

/** Milliseconds between two blanks of a trickled body. */
const trickleMs = 5;
const utf8 = new TextEncoder();
const blank = utf8.encode(" ");

/** Returns the error with which `fetch`, or the read of its body, rejects if the connection ends early. */
function connectionError(message: string, code: "ECONNRESET" | "UND_ERR_SOCKET"): TypeError {
  const reason = code === "ECONNRESET" ? "connection reset" : "connection closed";
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}

/** Waits until the caller aborts. Rejects with the reason of the abort. */
function rejectionAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

async function* bytesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1);
}

/** Returns a stream without pieces that fails as the promise does. */
function failingStream(end: () => Promise<never>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: end }) };
}

async function* blanks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    yield blank;
    await new Promise((resolve) => setTimeout(resolve, trickleMs));
  }
  throw signal.reason;
}

/** Applies a connection fault to a reply. Rejects if the fault sends no answer; for `hang` once the caller aborts. */
export async function transmitted(reply: Reply, connection: ConnectionFault, signal: AbortSignal): Promise<Reply> {
  if (connection === "normal") return reply;
  if (connection === "hang") return rejectionAtAbort(signal);
  if (connection === "close") throw connectionError("fetch failed", "UND_ERR_SOCKET");
  if (connection === "reset") throw connectionError("fetch failed", "ECONNRESET");
  const { status, headers } = reply;
  const body = joined(reply.body ?? []);
  if (connection === "byte-by-byte") return { status, headers, body: [], stream: bytesOf(body) };
  if (connection === "trickle") return { status, headers, body: [], stream: blanks(signal) };
  const ends = {
    "close-mid-body": () => Promise.reject(connectionError("terminated", "UND_ERR_SOCKET")),
    "reset-mid-body": () => Promise.reject(connectionError("terminated", "ECONNRESET")),
    "stall-mid-body": () => rejectionAtAbort(signal),
  };
  // The announced length is that of the whole body, so that a client notices the missing half.
  return {
    status,
    headers: { ...headers, "content-length": String(body.length) },
    body: [body.subarray(0, body.length / 2)],
    stream: failingStream(ends[connection]),
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
