import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { type Mock, onTestFinished, vi } from "vitest";

export type Pause = (ms?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

const realPause = timers.setTimeout;

/**
 * Replaces `setTimeout` of `node:timers/promises` until the end of the test or {@link restorePauses}. A mock of the
 * module would not reach modules that an earlier test file of the same process has loaded.
 */
export function replacePauses(pause: Pause): Mock<Pause> {
  const mock = vi.fn(pause);
  timers.setTimeout = mock as typeof realPause;
  syncBuiltinESMExports();
  onTestFinished(restorePauses);
  return mock;
}

export function restorePauses(): void {
  timers.setTimeout = realPause;
  syncBuiltinESMExports();
}
