import type { AnsweredRequest, RunPage, RunQuery } from "@quern/adapter";
import type { Instant, RequestRecord } from "@quern/query-run/record";
import type { WaitReasons } from "@quern/query-run/wire";
import type { Queries } from "./database.ts";
import { runPage } from "./run-page.ts";
import { parsed, runColumns, storedRun, tagKey } from "./run-records.ts";
import { type ReadList, searchRuns } from "./run-search.ts";

/** Condition with the values of its parameters, each written as `?`. */
interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Set of the runs that meet one condition of a list. */
interface RunSet {
  /** Selects `created_at` and `id` of the runs, by an index. */
  readonly search: Condition;
  /** True if the search returns runs in list order. */
  readonly isOrdered: boolean;
  /** Tests whether the set contains the run of the row `runs`. */
  readonly test: Condition;
}

/** Size up to which a set is counted, and sorted. A larger one is read in list order until the page is full. */
const maxCounted = 2_000;

/** Lists the runs of a tenant, or those that a user requested, the newest first. */
export async function listRuns(
  queries: Queries,
  query: RunQuery,
  now: Instant,
  reasons: WaitReasons,
): Promise<RunPage> {
  const read = await prepareList(queries, query);
  if (query.text !== undefined) {
    const { rows, next } = await searchRuns(queries, query, query.text, read);
    return { ...(await runPage(rows, query.limit, now, reasons)), next };
  }
  return runPage(await read("record", query.limit + 1, query.after), query.limit, now, reasons);
}

/**
 * Returns a function that reads the list, whatever the text of its runs. It searches the smallest of the sets whose
 * intersection is the list, and tests each run for the other sets.
 */
async function prepareList(queries: Queries, query: RunQuery): Promise<ReadList> {
  // The first of several large sets is searched, so that none of them is sorted.
  const sets = [...tagSets(query), baseSet(query), ...attributeSets(query)];
  const smallest = sets.length === 1 ? 0 : await smallestOf(queries, sets);
  const { search, isOrdered } = sets[smallest] ?? baseSet(query);
  const tests = sets.filter((_, index) => index !== smallest).map(({ test }) => test);
  const { since, until } = query;
  const limits: Condition[] = [];
  if (since !== undefined) limits.push({ text: "created_at >= ?", values: [since] });
  if (until !== undefined) limits.push({ text: "created_at < ?", values: [until] });
  const where = (conditions: readonly Condition[]) => conditions.map(({ text }) => ` AND ${text}`).join("");
  // An ordered search is read run by run. Another one is small, and is read as a whole before it is sorted.
  const kind = isOrdered ? "NOT MATERIALIZED" : "MATERIALIZED";
  const order = isOrdered ? " ORDER BY created_at DESC, id DESC" : "";
  return (columns, limit, after) => {
    const bounds = [...limits];
    if (after !== undefined) bounds.push({ text: "(created_at, id) < (?, ?)", values: [after.createdAt, after.id] });
    const text = `WITH found AS ${kind} (${search.text}${where(bounds)}${order})
    SELECT ${columns} FROM found JOIN runs USING (created_at, id) WHERE true${where(tests)}
    ORDER BY created_at DESC, id DESC LIMIT ${Math.trunc(limit)}`;
    return queries.rowsOnce(
      numbered(text),
      [search, ...bounds, ...tests].flatMap(({ values }) => values),
    );
  };
}

async function smallestOf(queries: Queries, sets: readonly RunSet[]): Promise<number> {
  const counts = sets.map(
    ({ search }, index) => `(SELECT count(*) FROM (${search.text} LIMIT ${maxCounted}) AS n) AS n${index}`,
  );
  const values = sets.flatMap(({ search }) => search.values);
  const [row] = await queries.rowsOnce(numbered(`SELECT ${counts.join(", ")}`), values);
  const sizes = sets.map((_, index) => Number(row?.[`n${index}`]));
  return sizes.indexOf(Math.min(...sizes));
}

/** Numbers the parameters of a text, as PostgreSQL writes them. */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll("?", () => `$${++count}`);
}

/** Returns the runs that the user requested; without a user, all runs of the tenant. */
function baseSet({ tenantId, userId }: RunQuery): RunSet {
  if (userId !== undefined) return keyedSet("requested_runs", ["tenant_id", "user_id"], [tenantId, userId]);
  const condition = { text: "runs.tenant_id = ?", values: [tenantId] };
  return {
    search: { text: `SELECT created_at, id FROM runs WHERE ${condition.text}`, values: condition.values },
    isOrdered: true,
    test: condition,
  };
}

/** Returns the runs with each tag. */
function tagSets({ tenantId, tags }: RunQuery): readonly RunSet[] {
  return Object.entries(tags).map(([key, value]) =>
    keyedSet("run_tags", ["tenant_id", "tag"], [tenantId, tagKey(key, value)]),
  );
}

/** Returns a set whose table has the runs in list order behind columns with the given values. */
function keyedSet(table: string, columns: readonly string[], values: readonly unknown[]): RunSet {
  const where = columns.map((column) => `${table}.${column} = ?`).join(" AND ");
  return {
    search: { text: `SELECT created_at, id FROM ${table} WHERE ${where}`, values },
    isOrdered: true,
    test: {
      text: `EXISTS (SELECT 1 FROM ${table} WHERE ${where}
        AND ${table}.created_at = runs.created_at AND ${table}.id = runs.id)`,
      values,
    },
  };
}

/** Returns the runs in one of the states, and those on one of the data sources. */
function attributeSets({ tenantId, states, sources }: RunQuery): readonly RunSet[] {
  const attributes = [
    { column: "state", accepted: states },
    { column: "data_source_id", accepted: sources ?? undefined },
  ];
  return attributes.flatMap(({ column, accepted }) => {
    if (accepted === undefined) return [];
    const condition = `runs.${column} = ANY(?::text[])`;
    return {
      search: {
        text: `SELECT created_at, id FROM runs WHERE runs.tenant_id = ? AND ${condition}`,
        values: [tenantId, accepted],
      },
      isOrdered: false,
      test: { text: condition, values: [accepted] },
    };
  });
}

/**
 * Number of newest requests that are searched for one whose run succeeded. The cap bounds the work for a statement with
 * many requests.
 */
const maxRequestsSearched = 100;

const latest = `
  SELECT * FROM (
    SELECT requests.record AS request, ${runColumns}, runs.state, requests.created_at, nth
    FROM requests JOIN runs ON runs.id = requests.run_id
    WHERE requests.sql_statement_id = $1 AND requests.user_id = coalesce($2, requests.user_id)
      AND ($3::text[] IS NULL OR runs.data_source_id = ANY($3::text[]))
    ORDER BY requests.created_at DESC, nth DESC LIMIT ${maxRequestsSearched}
  ) AS newest ORDER BY (state = 'QUERY_STATE_SUCCESS') DESC, created_at DESC, nth DESC LIMIT 1`;

/**
 * Returns one request of an SQL statement, with its run: among the newest {@link maxRequestsSearched}, the latest one
 * whose run succeeded, or else the latest.
 */
export async function latestRequest(
  queries: Queries,
  sqlStatementId: string,
  { userId, sources }: Pick<RunQuery, "userId" | "sources">,
): Promise<AnsweredRequest | undefined> {
  const [row] = await queries.rows(latest, sqlStatementId, userId ?? null, sources);
  return row && { request: parsed<RequestRecord>(row.request), run: storedRun(row).run };
}
