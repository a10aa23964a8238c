import type { RunFailure } from "@quern/query-run/record";

/** Reason for a failed statement, shown to the caller: name, message, and a category that says who can fix it. */
export type StatementFailure = RunFailure;

/** Longest message that is stored with a run, in UTF-16 code units: a statement can make one of any length. */
const maxMessageLength = 10_000;

/**
 * Error that the caller is shown, for instance because the statement is invalid or its result is too large. A run that
 * fails with it is not retried.
 */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly failure: StatementFailure;

  constructor(failure: StatementFailure) {
    const { message } = failure;
    const isLong = message.length > maxMessageLength;
    const shown = isLong ? { ...failure, message: `${message.slice(0, maxMessageLength)}…` } : failure;
    super(shown.message);
    this.failure = shown;
  }
}

/**
 * Failure to reach the system in which a store or a result store keeps its data, such as a database server that
 * restarts. The caller of the service gets a retryable error. The message names the system, and has no password or key.
 */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/**
 * Loss of the engine, or of the connection to it, before it answered. After `begin`, the service executes the run again, a
 * limited number of times. If `begin` or an earlier call throws it, the run fails with `DataSourceUnavailable`, except on
 * DuckDB.
 */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}

/**
 * Refusal of a commit, because another commit has stored a result of the same run and attempt: for instance one after
 * the backup from which the store of runs was restored. The service retries the run, as after the loss of an engine.
 */
export class ResultExistsError extends Error {
  override readonly name = "ResultExistsError";
}

/**
 * Makes a check for an error and its subclasses that also recognises, by the name, an error of another copy of this
 * package, which an adapter in a linked folder can have.
 */
function checkOf<T extends Error>(type: new (...args: never[]) => T, name: string, member = "message") {
  return (error: unknown): error is T =>
    error instanceof type || (error instanceof Error && error.name === name && member in error);
}

export const isStatementError = checkOf(StatementError, "StatementError", "failure");
export const isUnavailableError = checkOf(UnavailableError, "UnavailableError");
export const isEngineLostError = checkOf(EngineLostError, "EngineLostError");
export const isResultExistsError = checkOf(ResultExistsError, "ResultExistsError");
