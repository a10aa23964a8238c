import { isEngineLostError, isStatementError, isUnavailableError } from "@quern/adapter";
import type { MethodError } from "@quern/json-rpc/handler";
import { declaredError } from "./declared-error.ts";
import { isDiskFull } from "./disk-full.ts";

/** Name of the failure of a data source whose engine cannot be reached. */
export const sourceUnavailable = "DataSourceUnavailable";

/**
 * Converts an outage to the error that callers get: StorageFull if the disk is full, StoreUnavailable if the store, the
 * result store or the engine of a data source cannot be reached. Returns another error unchanged.
 * @param dataSource name of the source that a failed call was about @default none: the loss of an engine is no outage
 */
export function toMethodError(error: unknown, dataSource?: string): unknown {
  if (isDiskFull(error)) return storageFull(error);
  if (isUnavailableError(error)) return storeUnavailable({}, error);
  const isLost = isEngineLostError(error) || (isStatementError(error) && error.failure.name === sourceUnavailable);
  return isLost && dataSource !== undefined ? storeUnavailable({ dataSource }, error) : error;
}

/** Runs work, and converts the error with which it rejects. */
export function withMethodErrors<T>(work: () => Promise<T>, dataSource?: string): Promise<T> {
  return work().catch((error: unknown) => {
    throw toMethodError(error, dataSource);
  });
}

/** Returns the error for a call that needs space on a full disk. The scheduler checks the disk about as often. */
export function storageFull(cause?: unknown): MethodError {
  return outage("StorageFull", 10, {}, cause);
}

function storeUnavailable(data: object, cause: unknown): MethodError {
  return outage("StoreUnavailable", 2, data, cause);
}

/** @param retryAfterSeconds time after which a client retries */
function outage(
  name: "StorageFull" | "StoreUnavailable",
  retryAfterSeconds: number,
  data: object,
  cause: unknown,
): MethodError {
  const headers = { "retry-after": String(retryAfterSeconds) };
  return declaredError(name, { retryAfterMs: retryAfterSeconds * 1_000, ...data }, { httpStatus: 503, headers, cause });
}
