import type { RunFailure } from "@quern/query-run/record";

/** Reason for a failed statement, shown to the caller: name, message, and a category that says who can fix it. */
export type StatementFailure = RunFailure;

/** Failure that the engine reports. The run fails with it and is not retried. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly failure: StatementFailure;

  constructor(failure: StatementFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Loss of the engine, or of the connection to it, before it answered. The service retries the run. */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}
