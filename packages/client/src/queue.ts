import type { Call } from "./call.ts";

const mostCalls = 50;
const mostRequestChars = 256 * 1024;
const mostReplyBytes = 1024 * 1024;

/** Cuts calls into the groups that travel together. What the service may hold back holds back nothing else. */
export function groupsOf(calls: readonly Call[], batch: boolean): readonly (readonly Call[])[] {
  if (!batch) return calls.map((call) => [call]);
  const waiting = calls.filter(({ options }) => options.waits);
  const others = calls.filter(({ options }) => !options.waits);
  return [...cut(others), ...cut(waiting)];
}

function cut(calls: readonly Call[]): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let open: Call[] | undefined;
  let chars = 0;
  let bytes = 0;
  for (const call of calls) {
    const replyBytes = call.options.replyBytes ?? 0;
    if (call.options.alone) {
      groups.push([call]);
      continue;
    }
    chars += call.text.length;
    bytes += replyBytes;
    if (!open || open.length === mostCalls || chars > mostRequestChars || bytes > mostReplyBytes) {
      open = [];
      groups.push(open);
      chars = call.text.length;
      bytes = replyBytes;
    }
    open.push(call);
  }
  return groups;
}

/** Collects the calls of one microtask and hands those that are still wanted to `flush`. */
export function createQueue(flush: (calls: readonly Call[]) => void): (call: Call) => void {
  let queue: Call[] = [];
  return (call) => {
    if (queue.push(call) > 1) return;
    queueMicrotask(() => {
      const calls = queue;
      queue = [];
      flush(calls.filter(({ settled }) => !settled));
    });
  };
}
