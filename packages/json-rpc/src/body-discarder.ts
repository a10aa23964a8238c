import type { Readable } from "node:stream";

const intervalMs = 20;
/** Bytes of all bodies together that are discarded at each interval: about 3 MB a second. */
const bytesPerInterval = 64 * 1024;
/**
 * Maximum number of bodies that are discarded at the same time; the oldest is destroyed for another one. Each of them
 * has some 100 kB in memory.
 */
const maxBodies = 16;

/**
 * Creates a function that reads the rest of a body and discards it, so that a client that still sends it gets the
 * answer. All bodies share a limited rate, the oldest first, because at full speed a few clients without a key could
 * occupy the processor.
 */
export function createBodyDiscarder(): (body: Readable) => void {
  const bodies = new Set<Readable>();
  let timer: NodeJS.Timeout | undefined;

  function discardSome(): void {
    let left = bytesPerInterval;
    for (const body of [...bodies]) {
      if (left <= 0) return;
      left -= readSome(body);
    }
  }

  function remove(body: Readable): void {
    bodies.delete(body);
    if (bodies.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return (body) => {
    const [oldest = body] = bodies;
    if (bodies.size >= maxBodies) {
      remove(oldest);
      oldest.destroy();
    }
    bodies.add(body);
    body.once("close", () => remove(body));
    timer ??= setInterval(discardSome, intervalMs);
    body.pause();
    readSome(body);
  };
}

/** Discards the bytes that have arrived, which lets the next ones arrive. Returns their number. */
function readSome(body: Readable): number {
  const chunk: Buffer | null = body.read();
  return chunk?.length ?? 0;
}
