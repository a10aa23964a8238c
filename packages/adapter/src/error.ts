import type { RunFailure } from "@quern/query-run/record";

/** Reason of a failed statement, in words for the caller: name, message, and the category that says who can mend it. */
export type StatementFailure = RunFailure;

/** A failure that the engine explains. The run fails with it, and no other attempt is made. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly failure: StatementFailure;

  constructor(failure: StatementFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The engine, or the connection to it, ended before it answered. The statement may be tried again. */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}
