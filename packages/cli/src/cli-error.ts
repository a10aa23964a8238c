/** Something the user typed, or has not set up; the message says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** There is no key to send. */
export class AuthError extends Error {
  override readonly name = "AuthError";
}

/** Nothing answers where a service was expected. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** A query was stopped before its end: by Ctrl-C, or by its deadline. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly kind: "interrupted" | "timeout";
  /** The run that is withdrawn. */
  readonly queryRunId: string | undefined;

  constructor(kind: StoppedError["kind"], reason: string, queryRunId: string | undefined) {
    super(queryRunId === undefined ? reason : `${reason} Run ${queryRunId} is withdrawn.`);
    this.kind = kind;
    this.queryRunId = queryRunId;
  }
}
