import { isSystemDiskFull } from "@quern/adapter";
import type { MethodError } from "@quern/json-rpc/handler";
import { declaredError } from "./declared-error.ts";

/** Primary result code SQLITE_FULL. */
const sqliteFull = 13;

/** Extended result code SQLITE_IOERR_SHMSIZE: SQLite could not enlarge the index of the write-ahead log. */
const sqliteIndexNotEnlarged = (19 << 8) | 10;

/** Returns true for an error of SQLite or of the operating system that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error && "errcode" in error)) return isSystemDiskFull(error);
  const code = Number(error.errcode);
  return (code & 0xff) === sqliteFull || code === sqliteIndexNotEnlarged;
}

/** Time after which a client retries, in seconds. The scheduler checks the disk about as often. */
const retryAfterSeconds = 10;

/** Returns the error for a call that needs space on a full disk. */
export function storageFull(cause?: unknown): MethodError {
  const headers = { "retry-after": String(retryAfterSeconds) };
  const data = { retryAfterMs: retryAfterSeconds * 1_000 };
  return declaredError("StorageFull", data, { httpStatus: 503, headers, ...(cause !== undefined && { cause }) });
}
