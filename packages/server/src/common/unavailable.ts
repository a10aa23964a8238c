import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "@quern/adapter";
import type { MethodError } from "@quern/json-rpc/handler";
import { declaredError } from "./declared-error.ts";

/** Time after which a client retries, in seconds. */
const retryAfterSeconds = 2;

/**
 * Returns the error for a call that needs a store or result store that cannot be reached.
 * @param dataSource name of a data source, if it is the one that cannot be reached @default none
 */
export function storeUnavailable(cause: unknown, dataSource?: string): MethodError {
  const headers = { "retry-after": String(retryAfterSeconds) };
  return declaredError(
    "StoreUnavailable",
    { retryAfterMs: retryAfterSeconds * 1_000, ...(dataSource !== undefined && { dataSource }) },
    { httpStatus: 503, headers, cause },
  );
}

/** Converts an UnavailableError to the declared error; returns another error unchanged. */
export function unavailableToMethodError(error: unknown): unknown {
  return error instanceof UnavailableError ? storeUnavailable(error) : error;
}

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
      if (!(error instanceof UnavailableError)) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw error;
    }
  }
}
