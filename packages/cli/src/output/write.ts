import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes, and waits while the reader is slower, so that a large result is never held in memory. */
export async function write(stream: Writable, bytes: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (bytes.length > 0 && !stream.write(bytes)) await once(stream, "drain", { signal });
}
