import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes, and waits while the reader is slower, so that a large result is never held in memory. */
export async function write(stream: Writable, text: string, signal?: AbortSignal): Promise<void> {
  if (text !== "" && !stream.write(text)) await once(stream, "drain", { signal });
}
