/** Something the user typed, or has not set up; the message says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** There is no key to send. */
export class AuthError extends Error {
  override readonly name = "AuthError";
}

/** The user pressed Ctrl-C. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}
