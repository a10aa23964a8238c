import type { Call } from "./call.ts";

/** Of a batch: 50 calls, 256 kB of requests, 1 MB of answers. What is larger than its part takes the room of several. */
const mostCalls = 50;
const charsOfOne = (256 * 1024) / mostCalls;
const bytesOfOne = (1024 * 1024) / mostCalls;

/** Collects the calls of one microtask and hands those that are still wanted to `flush`. */
export function createQueue(flush: (calls: readonly Call[]) => void): (call: Call) => void {
  let queue: Call[] = [];
  return (call) => {
    if (queue.push(call) > 1) return;
    queueMicrotask(() => {
      const calls = queue;
      queue = [];
      flush(calls.filter(({ done }) => !done));
    });
  };
}

/** Cuts calls into the groups that travel together. What the service may hold back holds back nothing else. */
export function groupsOf(calls: readonly Call[]): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  for (const waiting of [false, true]) {
    let group: Call[] = [];
    let room = 0;
    for (const call of calls) {
      const { waits = false, alone, replyBytes = 0 } = call.options;
      if (waits !== waiting) continue;
      const share = Math.max(1, call.text.length / charsOfOne, replyBytes / bytesOfOne);
      if (alone) groups.push([call]);
      else {
        room -= share;
        if (room < 0) {
          group = [];
          groups.push(group);
          room = mostCalls - share;
        }
        group.push(call);
      }
    }
  }
  return groups;
}
