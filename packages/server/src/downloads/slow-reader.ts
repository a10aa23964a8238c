import type { Writable } from "node:stream";

const lookMs = 60_000;
/** Who takes less in a minute, though there is more, holds a place that others wait for. */
const leastBytes = 1_000_000;

/** Calls `onSlow` once when a reader takes too little; what is slow to come is not held against them. */
export function watchReader(
  response: Pick<Writable, "writableNeedDrain">,
  taken: () => number,
  onSlow: () => void,
): () => void {
  let before = taken();
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(look, lookMs).unref();
  };
  const look = (): void => {
    const isSlow = response.writableNeedDrain && taken() - before < leastBytes;
    before = taken();
    if (isSlow) onSlow();
    else wait();
  };
  wait();
  return () => clearTimeout(timer);
}
