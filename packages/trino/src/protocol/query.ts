import { EngineLostError, isEngineLostError, isStatementError } from "@quern/adapter";
import { queryFailure } from "../failure.ts";
import { type Connection, isGone } from "./connection.ts";
import { uncompressed } from "./http.ts";
import { isArray, notTrino, type Page, type PageColumn, parsePage } from "./page.ts";

/** Query that Trino has accepted. */
export interface Query {
  readonly id: string;
  /** Aborted by the signal of the caller, and by {@link release}. */
  readonly signal: AbortSignal;
  /** Returns the completed share of the work, from 0 to 1; null if Trino does not know it. */
  progress(): number | null;
  /** Returns the columns when the first rows are available, or the query has ended. */
  columns(): Promise<readonly PageColumn[]>;
  /** Yields the JSON of each page with rows or segments. */
  data(): AsyncGenerator<Uint8Array>;
  /** Cancels the query unless it has ended. */
  release(): Promise<void>;
}

/** Time in which Trino must answer again after a failure, in milliseconds. */
const recoveryMs = 30_000;
/** Time for retries when a query starts, in milliseconds: the service waits 30 seconds in all for `begin`. */
const startMs = 10_000;
const cancelMs = 10_000;

/**
 * Sends a statement.
 * @throws {StatementError} if Trino refuses it
 * @throws {EngineLostError} if Trino cannot be reached
 */
export async function startQuery(
  connection: Connection,
  { sql: body, headers: ownHeaders }: { readonly sql: string; readonly headers: Readonly<Record<string, string>> },
  callerSignal: AbortSignal,
): Promise<Query> {
  const releasing = new AbortController();
  const signal = AbortSignal.any([callerSignal, releasing.signal]);
  const { coordinator } = connection.address;
  const url = `${coordinator}/v1/statement`;
  const first = await connection.request({ method: "POST", url, body, headers: ownHeaders, signal, retryMs: startMs });
  const parsed = parsePage(first.body);
  if (parsed === undefined) throw notTrino();
  let page = parsed;
  let { columns } = page;
  let share: number | null = null;
  /** Headers of the next page. */
  let headers: Readonly<Record<string, string>> = {};

  /** Fetches the page after the current one. Returns false at the end. */
  async function advance(): Promise<boolean> {
    const { nextUri, stats } = page;
    if (nextUri === undefined) {
      // Without this check, the rows before the end of a Trino that shuts down would look complete.
      if (stats?.state !== "FINISHED") throw new EngineLostError("Trino shut down before the query ended.");
      return false;
    }
    if (page.data !== undefined && !isArray(page.data)) headers = uncompressed;
    const next = await connection.request({ method: "GET", url: nextUri, headers, signal, retryMs: recoveryMs });
    const following = isGone(next.status) ? undefined : parsePage(next.body);
    if (following === undefined) throw new EngineLostError("Trino no longer has the query; it may have restarted.");
    page = following;
    columns ??= page.columns;
    readStatus(page);
    return true;
  }
  /** Every page can have an error, also after pages with rows. */
  function readStatus({ error, stats }: Page): void {
    // The statement has not failed: it can be executed again once Trino is back.
    if (error?.errorName === "SERVER_SHUTTING_DOWN") throw new EngineLostError(error.message ?? "Trino shuts down.");
    if (error !== undefined && error !== null) throw queryFailure(error);
    const percentage = stats?.progressPercentage;
    if (typeof percentage === "number") share = Math.min(Math.max(percentage / 100, share ?? 0), 1);
  }
  async function release(): Promise<void> {
    releasing.abort(new EngineLostError("The query was released."));
    const { nextUri } = page;
    if (nextUri === undefined || page.error !== undefined) return;
    // Trino itself ends a query whose pages are not fetched.
    await cancelAt(connection, nextUri).catch((error: unknown) => {
      if (!(isEngineLostError(error) || isStatementError(error))) throw error;
    });
  }
  try {
    readStatus(page);
    if (columns === undefined) await advance(); // Trino does not know the query by its id before
  } catch (error) {
    await release();
    throw error;
  }

  return {
    id: page.id,
    signal,
    progress: () => share,
    async columns() {
      while (page.data === undefined && (await advance())); // the columns are known long before the rows
      if (columns === undefined) throw notTrino();
      return columns;
    },
    async *data() {
      do if (page.data !== undefined) yield page.data;
      while (await advance());
    },
    release,
  };
}

/**
 * Cancels a query by its id, also one of another process. Does nothing for a query that has ended.
 * @throws {StatementError} if Trino refuses, or {EngineLostError} if it cannot be reached
 */
export async function cancelQuery(connection: Connection, id: string): Promise<void> {
  await cancelAt(connection, `${connection.address.coordinator}/v1/query/${id}`);
}

async function cancelAt(connection: Connection, url: string): Promise<void> {
  const signal = AbortSignal.timeout(cancelMs);
  await connection.request({ method: "DELETE", url, signal, retryMs: cancelMs }).catch((error: unknown) => {
    throw signal.aborted ? new EngineLostError("Trino did not cancel the query in time.") : error;
  });
}
