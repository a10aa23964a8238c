import { setTimeout } from "node:timers/promises";
import { EngineLostError, isEngineLostError, isStatementError } from "@quern/adapter";
import { querySettings } from "../session.ts";
import type { Connection, Request, Response } from "./connection.ts";

/** Query that was sent to ClickHouse. */
export interface Query {
  /** Returns the completed share of the work, from 0 to 1; null if ClickHouse does not know it. */
  progress(): number | null;
  /** Waits for the end of the query. */
  response: Promise<Response>;
  /** Cancels the query unless it has ended, and ends the connection. */
  release(): Promise<void>;
}

const cancelSeconds = 10;
/** Time between two requests for the progress, in milliseconds. */
const progressMs = 2_000;

/** Sends a query, whose id is known before it begins. */
export function startQuery(
  connection: Connection,
  request: Request & { readonly queryId: string },
  callerSignal: AbortSignal,
): Query {
  const releasing = new AbortController();
  const signal = AbortSignal.any([callerSignal, releasing.signal]);
  const waiting = new AbortController();
  let isRunning = true;
  let share: number | null = null;
  const response = (async () => {
    try {
      const answer = await connection.run(request, signal);
      isRunning = false;
      return answer;
    } catch (error) {
      if (isStatementError(error)) isRunning = false;
      throw error;
    } finally {
      waiting.abort();
    }
  })();
  response.catch(() => {}); // the caller of `response` gets the error

  async function watchProgress(): Promise<void> {
    const untilEnd = AbortSignal.any([signal, waiting.signal]);
    for (;;) {
      await setTimeout(progressMs, undefined, { signal: untilEnd });
      share = await progressOf(connection, request.queryId, share, untilEnd);
    }
  }
  // The progress is missing if ClickHouse does not let the user read it.
  watchProgress().catch(() => {});

  return {
    progress: () => share,
    response,
    async release() {
      releasing.abort(new EngineLostError("The query was released."));
      try {
        if (isRunning) await cancelQuery(connection, request.queryId);
      } catch (error) {
        if (!(isEngineLostError(error) || isStatementError(error))) throw error;
      } finally {
        await connection.close();
      }
    },
  };
}

async function progressOf(
  connection: Connection,
  queryId: string,
  before: number | null,
  signal: AbortSignal,
): Promise<number | null> {
  const sql =
    "SELECT read_rows / total_rows_approx FROM system.processes WHERE query_id = {id:String} AND total_rows_approx > 0";
  const [row] = await rowsOf(
    connection,
    { sql, settings: querySettings(cancelSeconds), parameters: { id: queryId } },
    signal,
  );
  const share = Number(row?.[0]);
  return Number.isNaN(share) ? before : Math.min(Math.max(share, before ?? 0), 1);
}

/**
 * Cancels a query by its id, also one of another process. Does nothing for a query that has ended.
 * @throws {StatementError} if ClickHouse refuses, or {EngineLostError} if it cannot be reached
 */
export async function cancelQuery(connection: Connection, queryId: string): Promise<void> {
  const sql = "KILL QUERY WHERE query_id = {id:String} SYNC";
  const settings = { wait_end_of_query: 1, max_execution_time: cancelSeconds } as const;
  const request = { sql, settings, parameters: { id: queryId } };
  const signal = AbortSignal.timeout(cancelSeconds * 1_000);
  await connection.command(request, signal).catch((error: unknown) => {
    throw signal.aborted ? new EngineLostError("ClickHouse did not cancel the query in time.") : error;
  });
}

/** Runs a query of the adapter itself, and returns its values as text. */
export async function rowsOf(
  connection: Connection,
  request: Request,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const { arrays } = await connection.run(request, signal);
  const rows: string[][] = [];
  for await (const array of arrays) {
    const values: unknown = JSON.parse(Buffer.from(array).toString());
    if (Array.isArray(values)) for (const row of values) rows.push(Array.isArray(row) ? row.map(String) : []);
  }
  return rows;
}
