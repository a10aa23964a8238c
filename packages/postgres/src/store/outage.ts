/** Codes of network errors after which the same call may succeed. */
const networkCodes: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * SQLSTATE codes of a server that is restarting, overloaded, full, read-only after a failover, or stopped the call. Two
 * letters are a whole class.
 */
const serverCodes: ReadonlySet<string> = new Set([
  "08", // connection exception
  "53", // insufficient resources
  "57", // operator intervention: shutdown, crash, starting up, cancelled by a timeout
  "58", // system error, such as an I/O error
  "25P03", // idle_in_transaction_session_timeout
  "25006", // read-only transaction: this server is a standby now
  "40001", // serialization failure, after retries
  "40P01", // deadlock, after retries
  "55P03", // lock_timeout
]);

/** Errors of the client library that have no code. */
const clientMessages =
  /^(Connection terminated|Client (was closed|has encountered)|Query read timeout|timeout (expired|exceeded)|Client has already)/;

/** Tells whether an error is an outage: the database cannot be reached, restarts, or refuses work for now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return clientMessages.test(error.message);
  return networkCodes.has(code) || serverCodes.has(code) || serverCodes.has(code.slice(0, 2));
}

/**
 * SQLSTATE codes, besides those of class 08, of a PostgreSQL that no server can use. A refusal because of too many
 * connections is none: other servers have them.
 */
const connectionCodes: ReadonlySet<string> = new Set([
  "57P01", // shutdown
  "57P02", // crash
  "57P03", // starting up
]);

/**
 * Tells whether an outage concerns the connection, so that other servers may not have reached the database either. A
 * call that PostgreSQL has stopped, by a timeout or because of a deadlock, is none.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isConnectionFailure);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  // PostgreSQL stops a call earlier than the client does, so a timeout of the client means that it does not answer.
  if (code === undefined) return clientMessages.test(error.message);
  return networkCodes.has(code) || connectionCodes.has(code) || code.startsWith("08");
}

/** Tells whether PostgreSQL has rolled a transaction back in favour of a concurrent one, so that it can be retried. */
export function isConcurrencyFailure(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code === "40001" || code === "40P01";
}

/** Returns the code of a network error or the SQLSTATE of an error of the server. */
export function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
