import type { StopSignal } from "./exit-code.ts";

/** Mistake in the command line or the setup. The message tells the user how to correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The API key is missing or refused. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  /** True if a profile can have the key. */
  readonly isOfProfile: boolean;

  constructor(message: string, { isOfProfile = false } = {}) {
    super(message);
    this.isOfProfile = isOfProfile;
  }
}

/** No service answers at the address. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** Output that cannot be written, as to a full disk. */
export class OutputError extends Error {
  override readonly name = "OutputError";

  /** @param target Name of the file, or stdout. */
  constructor(target: string, cause: unknown) {
    super(`cannot write ${target}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** The command was stopped by a signal or by its deadline. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly by: StopSignal | "timeout";
  readonly queryRunId: string | undefined;

  /** @param text Reason, and state of the run. */
  constructor(by: StoppedError["by"], text: string, queryRunId: string | undefined) {
    super(text);
    this.by = by;
    this.queryRunId = queryRunId;
  }
}

/** Adds the id of the run to an error that has none, so that the user can continue with the run. */
export function aboutRun(error: unknown, queryRunId: string | undefined): unknown {
  if (queryRunId !== undefined && error instanceof Error && !("queryRunId" in error)) {
    Object.assign(error, { queryRunId });
  }
  return error;
}

/** Converts errors of a class to usage errors, because the user can correct them. */
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
