import { type Client, type UntypedRow, type WholeResult, wholeResultOf } from "@quern/client";
import { hashKey, replaceEqualDeep } from "@tanstack/query-core";
import { freshness } from "./freshness.ts";
import { openRun, type ReadInput, readInput } from "./open-run.ts";
import type { Enqueue } from "./panel-queue.ts";
import { viewKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { type TypedQuery, typedQuery } from "./typed-query.ts";

/** A whole result. Plain data: it can be dehydrated on a server. */
export type QueryResults<Row = UntypedRow> = WholeResult<Row>;

/**
 * Returns options that run a query and read all its rows. The data is fresh for `maxAgeMinutes`. Structural sharing compares run
 * ids and not rows. When the last component that waits for the statement unmounts, the request is withdrawn. Queries that differ
 * only in `filters` or `sortBy` read the same run.
 * @param enqueue Queue of the panel, from `usePanelQueue()`. By default the query starts at once.
 */
export function queryResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  enqueue?: Enqueue,
): TypedQuery<QueryResults<Row>> {
  return resultsOptions(readInput(client, request, enqueue));
}

export function resultsOptions<Row>(input: ReadInput<Row>): TypedQuery<QueryResults<Row>> {
  const { request, statementKey } = input;
  const { filters, sortBy, format, maxRows, schema } = request;
  const queryKey = viewKey(statementKey, "results", request, { filters, sortBy, format, maxRows });
  return typedQuery<QueryResults<Row>>({
    queryKey,
    queryFn: async (context) => {
      const { signal } = context;
      const results = await wholeResultOf(await openRun(input, context), { schema, maxRows, signal });
      // The key tells the views of one run apart.
      fingerprints.set(results, hashKey([results.queryRunId, queryKey]));
      return results;
    },
    structuralSharing: sameRun,
    ...freshness(request, queryKey),
  });
}

/** Run and view of each result that was fetched. Data from `select` or `setQueryData` has no entry, although it may name a run. */
const fingerprints = /*@__PURE__*/ new WeakMap<WeakKey, string>();

/** Shares fetched results by their fingerprints and not by their rows; other data as TanStack Query does. */
function sameRun(previous: unknown, next: unknown): unknown {
  const fingerprint = fingerprintOf(next);
  if (fingerprint === undefined) return replaceEqualDeep(previous, next);
  return fingerprint === fingerprintOf(previous) ? previous : next;
}

function fingerprintOf(data: unknown): string | undefined {
  return fingerprints.get(data as WeakKey); // A value that is not an object has no fingerprint.
}
