import { type Client, type ColumnType, type QuernError, query, rowsOf, type UntypedRow } from "@quern/client";
import { queryOptions } from "@tanstack/react-query";
import { freshness } from "./freshness.ts";
import { queryIdentity } from "./query-identity.ts";
import { methodKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { asRead, sameRun } from "./sharing.ts";
import { atOnce, type Turn } from "./turns.ts";
import type { TypedQuery } from "./typed-query.ts";

/** A whole result. Plain data: it can be dehydrated on a server. */
export interface QueryResults<Row = UntypedRow> {
  readonly queryRunId: string;
  readonly columnNames: readonly string[];
  readonly columnTypes: readonly ColumnType[];
  /** All of them; use `infiniteResultsOptions` for results that are too large to hold. */
  readonly rows: readonly Row[];
}

/**
 * Runs a query and reads all its rows. Fresh for `maxAgeMinutes` from then, kept for `resultTTLHours`; a result of the same run is
 * not compared again; when its last reader unmounts, the request is withdrawn.
 */
export function queryResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  turn: Turn = atOnce,
): TypedQuery<QueryResults<Row>> {
  return queryOptions<QueryResults<Row>, QuernError>({
    queryKey: methodKey(client, "results", queryIdentity(request)),
    queryFn: ({ signal }) => turn(() => readAll(client, request, signal), signal),
    structuralSharing: sameRun,
    ...freshness(request),
  });
}

async function readAll<Row>(client: Client, request: RowsQuery<Row>, signal: AbortSignal): Promise<QueryResults<Row>> {
  const result = await query(client, request, { signal });
  const { queryRunId, columnNames, columnTypes } = result;
  const rows: Row[] = [];
  for await (const row of rowsOf(result, { schema: request.schema, signal })) rows.push(row);
  return asRead({ queryRunId, columnNames, columnTypes, rows });
}
