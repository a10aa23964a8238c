import type { StopSignal } from "./exit-code.ts";

/** A mistake in the command or its set-up; the message says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** No API key is set. */
export class AuthError extends Error {
  override readonly name = "AuthError";
}

/** No service answers at the address. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** A command was stopped before its end: by a signal, or by its deadline. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly by: StopSignal | "timeout";
  readonly queryRunId: string | undefined;

  /** @param text The reason, and the state of the run. */
  constructor(by: StoppedError["by"], text: string, queryRunId: string | undefined) {
    super(text);
    this.by = by;
    this.queryRunId = queryRunId;
  }
}

/** Adds the run to an error that does not name one, so that its user can go on with the run. */
export function aboutRun(error: unknown, queryRunId: string | undefined): unknown {
  if (queryRunId !== undefined && error instanceof Error && !("queryRunId" in error)) {
    Object.assign(error, { queryRunId });
  }
  return error;
}

/** Converts errors of a class, which the operator can correct, to usage errors. */
export async function withUsageErrors<T>(
  kind: new (message: string) => Error,
  perform: () => T | Promise<T>,
): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    throw error instanceof kind ? new UsageError(error.message) : error;
  }
}
