import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailableError } from "@quern/adapter";

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Repeats a call while the store that it needs cannot be reached. The call must be one that has the same effect once
 * and twice, since an earlier attempt may have succeeded without an answer.
 * @throws the error of the last attempt, once the signal is aborted
 */
export async function untilAvailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await call();
    } catch (error) {
      if (!isUnavailableError(error)) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw error;
    }
  }
}
