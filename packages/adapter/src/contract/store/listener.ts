import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { RunNotice, Store } from "../../store/store.ts";

/** Longest time to wait for a notice; a case that passes does not wait for it. */
const timeoutMs = 10_000;

/** Collects the notices of a store, to be awaited one after the other. */
export function listen(store: Store) {
  const notices: RunNotice[] = [];
  let arrived = (): void => {};
  const end = store.subscribe((notice) => {
    notices.push(notice);
    arrived();
  });
  async function next(): Promise<RunNotice> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (notices.length === 0 && !deadline.aborted)
      await new Promise<void>((resolve) => {
        arrived = resolve;
        deadline.addEventListener("abort", () => resolve(), { once: true });
      });
    const notice = notices.shift();
    assert.ok(notice, `no notice within ${timeoutMs} ms`);
    return notice;
  }
  /** Waits for a notice, which others may precede. */
  async function untilNotified(expected: RunNotice): Promise<void> {
    for (let notice = await next(); !isDeepStrictEqual(notice, expected); ) notice = await next();
  }
  return { next, notices, untilNotified, end };
}
