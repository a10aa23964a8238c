import type { Call } from "./call.ts";
import { afterMicrotask } from "./deadline.ts";

/** Limits of a batch: 50 calls, 256 kB of requests, 1 MB of answers. A call above its share counts as several calls. */
const maxCalls = 50;
const charsPerCall = (256 * 1024) / maxCalls;
const bytesPerCall = (1024 * 1024) / maxCalls;

/** Collects calls until the next microtask and passes them to `flush`, without the calls that were aborted meanwhile. */
export function createBatchQueue(flush: (calls: readonly Call[]) => void): (call: Call) => void {
  let queue: Call[] = [];
  return (call) => {
    if (queue.push(call) > 1) return;
    afterMicrotask(() => {
      const calls = queue;
      queue = [];
      flush(calls.filter(({ done }) => !done));
    });
  };
}

/** Divides calls into batches. The long polls of each method have batches of their own, so that no other call waits for them. */
export function batchesOf(calls: readonly Call[]): readonly (readonly Call[])[] {
  const batches: Call[][] = [];
  for (const kind of new Set(["", ...calls.map(kindOf)])) {
    let batch: Call[] = [];
    let capacity = 0;
    for (const call of calls) {
      const { unbatched, replyBytes = 0 } = call.options;
      if (kindOf(call) !== kind) continue;
      const share = Math.max(1, call.text.length / charsPerCall, replyBytes / bytesPerCall);
      if (unbatched) batches.push([call]);
      else {
        capacity -= share;
        // The size of an answer may be infinite, or NaN: such a call has a batch of its own.
        if (!(capacity >= 0)) {
          batch = [];
          batches.push(batch);
          capacity = maxCalls - share;
        }
        batch.push(call);
      }
    }
  }
  return batches;
}

const kindOf = ({ descriptor, options }: Call) => (options.longPoll ? descriptor.name : "");
