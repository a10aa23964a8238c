import type { RunFailure } from "@quern/query-run/record";

/** Reason for a failed statement, shown to the caller: name, message, and a category that says who can fix it. */
export type StatementFailure = RunFailure;

/**
 * Error that the caller is shown, for instance because the statement is invalid or its result is too large. A run that
 * fails with it is not retried.
 */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly failure: StatementFailure;

  constructor(failure: StatementFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Failure to reach the system in which a store or a result store keeps its data, such as a database server that
 * restarts. The caller of the service is told to retry. The message names the system, and has no password or key.
 */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/**
 * Loss of the engine, or of the connection to it, before it answered. The service retries the run a limited number of
 * times.
 */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}
