import type { Clock } from "../common/clock.ts";

const minuteMs = 60_000;
/** Who has no key can be refused any number of times, and is not to fill the disk with it. */
const maxLines = 600;

/** Whether a refusal gets a line of the audit log: the first of each minute do. The next one tells how many were left out. */
export function createRefusals(clock: Clock): () => { readonly leftOut?: number } | undefined {
  let minute = 0;
  let lines = 0;
  let leftOut = 0;
  return () => {
    const now = Math.floor(clock.now() / minuteMs);
    if (now !== minute) lines = 0;
    minute = now;
    if (lines >= maxLines) {
      leftOut += 1;
      return undefined;
    }
    lines += 1;
    const before = leftOut;
    leftOut = 0;
    return before === 0 ? {} : { leftOut: before };
  };
}
