import type { Readable } from "node:stream";

const events = ["readable", "end", "error", "close"] as const;

/** Returns whether a stream has text before its end. The text stays in the stream. */
export async function hasInput(stream: Readable): Promise<boolean> {
  while (!stream.readableEnded && !stream.destroyed) {
    const chunk: Buffer | string | null = stream.read();
    if (chunk !== null && chunk.length > 0) {
      stream.unshift(chunk);
      return true;
    }
    if (chunk === null) await nextEvent(stream);
  }
  return false;
}

function nextEvent(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const name of events) stream.off(name, done);
      resolve();
    };
    for (const name of events) stream.once(name, done);
  });
}
