import { type Client, type QuernError, type UntypedRow, type WholeResult, wholeResultOf } from "@quern/client";
import { hashKey, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import { freshness } from "./freshness.ts";
import { openRun, type Reading } from "./open-run.ts";
import { statementKey, viewKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { atOnce, type Turn } from "./turns.ts";
import type { TypedQuery } from "./typed-query.ts";

/** A whole result. Plain data: it can be dehydrated on a server. */
export type QueryResults<Row = UntypedRow> = WholeResult<Row>;

/**
 * Runs a query and reads all its rows. Fresh for `maxAgeMinutes` from then; a result of the same run is not compared again;
 * when its last reader unmounts, the request is withdrawn. Queries that differ only in `filters` or `sortBy` read the same run.
 */
export function queryResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  turn: Turn = atOnce,
): TypedQuery<QueryResults<Row>> {
  return resultsOptions({ client, request, turn, statementKey: statementKey(client, request) });
}

export function resultsOptions<Row>(given: Reading<Row>): TypedQuery<QueryResults<Row>> {
  const { request, statementKey } = given;
  const { filters, sortBy, format, maxRows, schema } = request;
  const { queryKey, schemas } = viewKey(statementKey, "results", request, { filters, sortBy, format, maxRows });
  const reading = { ...given, schemas };
  return queryOptions<QueryResults<Row>, QuernError>({
    queryKey,
    queryFn: async (context) => {
      const { signal } = context;
      const results = await wholeResultOf(await openRun(reading, context), { schema, maxRows, signal });
      // Results of one run differ by their views.
      marks.set(results, hashKey([results.queryRunId, queryKey]));
      return results;
    },
    structuralSharing: sameRun,
    ...freshness(request, queryKey),
  });
}

/** Marks of results as they were read. Data that is selected from one, or set by a program, may name the run too, and is unmarked. */
const marks = /*@__PURE__*/ new WeakMap<WeakKey, string>();

/** Structural sharing that compares results by their marks and not by their rows. */
function sameRun(previous: unknown, next: unknown): unknown {
  const mark = markOf(next);
  if (mark === undefined) return replaceEqualDeep(previous, next);
  return mark === markOf(previous) ? previous : next;
}

function markOf(data: unknown): string | undefined {
  return marks.get(data as WeakKey); // A value that is no object has no mark.
}
