import { type Client, QuernError, rowsOf, type UntypedRow } from "@quern/client";
import { hashKey, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import { freshness } from "./freshness.ts";
import { type KeptRun, openRun, type Reading } from "./open-run.ts";
import { statementKey, viewKey } from "./query-identity.ts";
import type { RowsQuery } from "./rows-query.ts";
import { atOnce, type Turn } from "./turns.ts";
import type { TypedQuery } from "./typed-query.ts";

/** A whole result. Plain data: it can be dehydrated on a server. */
export interface QueryResults<Row = UntypedRow> extends KeptRun {
  /** As the statement names them; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows, in the order of `columnNames`: a repeated name gets `_2`. */
  readonly rowKeys: readonly string[];
  readonly columnTypes: readonly string[];
  /** All rows, at most `maxRows`; use `infiniteResultsOptions` for results that are too large to hold. */
  readonly rows: readonly Row[];
}

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
  const most = maxRows ?? 1_000_000;
  return queryOptions<QueryResults<Row>, QuernError>({
    queryKey,
    queryFn: async (context) => {
      const result = await openRun(reading, context);
      const { queryRunId, queryRun, columnNames, rowKeys, columnTypes, rowCount } = result;
      const rows: Row[] = [];
      for await (const row of rowsOf(result, { schema, signal: context.signal })) {
        rows.push(row);
        if (Math.max(rows.length, rowCount ?? 0) > most) {
          const text = `Result too large: ${rowCount ?? "more"} rows, maxRows is ${most}; use useInfiniteResults`;
          throw new QuernError("protocol", text, { queryRunId });
        }
      }
      const results = { queryRunId, asOf: queryRun.endedAt ?? null, columnNames, rowKeys, columnTypes, rows };
      // Results of one run differ by their views.
      return asRead(results, hashKey([queryRunId, queryKey]));
    },
    structuralSharing: sameRun,
    ...freshness(request, queryKey),
  });
}

/** Marks of results as they were read. Data that is selected from one, or put in its place, may name the run too, and is unmarked. */
const marks = /*@__PURE__*/ new WeakMap<WeakKey, string>();

/** Marks a result; those of equal marks hold the same rows. */
function asRead<Results extends object>(results: Results, mark: string): Results {
  marks.set(results, mark);
  return results;
}

/** Structural sharing that compares results by their marks and not by their rows. */
function sameRun(previous: unknown, next: unknown): unknown {
  const mark = markOf(next);
  if (mark === undefined) return replaceEqualDeep(previous, next);
  return mark === markOf(previous) ? previous : next;
}

function markOf(data: unknown): string | undefined {
  return marks.get(data as WeakKey); // A value that is no object has no mark.
}
