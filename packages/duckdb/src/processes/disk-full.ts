import type { StatementFailure } from "@quern/adapter";

/** Failure of a statement whose result or intermediate data had no space on the disk. */
export const diskFullFailure: StatementFailure = {
  name: "StorageFull",
  message: "The disk of the service is full; run the query again when it has space.",
  data: { category: "RESOURCE", retryable: true },
};

/** Texts of the operating system, which the engine quotes in its errors. */
const systemTexts = /No space left on device|Disk quota exceeded|not enough space on the disk/i;

/** Returns {@link diskFullFailure} in place of a failure of the engine or its process that a full disk has caused. */
export function withDiskFull(failure: StatementFailure): StatementFailure {
  // A statement can fail with any text of its own, which is a fault of the statement.
  return failure.data?.category !== "USER" && systemTexts.test(failure.message) ? diskFullFailure : failure;
}
