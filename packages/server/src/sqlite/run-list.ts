import type { SQLInputValue } from "node:sqlite";
import type { RunQuery } from "@quern/adapter";

/** SQL text with the values of its parameters. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** Set of the runs that meet one condition of a list. */
interface RunSet {
  /** Selects `created_at` and `id` of the runs, by an index. */
  readonly search: SqlStatement;
  /** Tests whether the set contains the run `found`, whose row is `runs`. */
  readonly test: SqlStatement;
}

/** Size up to which a set is counted, and sorted. A larger one is read in list order until the page is full. */
const maxCounted = 2_000;

/** Columns of a list: the record of each run. */
export const recordColumn = "json_remove(record, '$.parameters', '$.result.cells') AS record";

/**
 * Builds the statement that lists the runs of a tenant, or the runs that a user requested, the newest first, whatever
 * their text. It searches the smallest of the sets whose intersection is the list, and tests each run for the other sets.
 * @param count executes a statement that selects a number `n`
 * @param columns columns of `runs` to select. @default the record
 */
export function listStatement(
  query: RunQuery,
  count: (statement: SqlStatement) => number,
  columns: string = recordColumn,
): SqlStatement {
  // The search of a tag, and of the base, returns runs in list order. The others come last.
  const sets = [...tagSets(query), baseSet(query), ...attributeSets(query)];
  const sizes = sets.map(({ search: { text, values } }) =>
    count({ text: `SELECT count(*) AS n FROM (${text} LIMIT ${maxCounted})`, values }),
  );
  // Selects the first of several large sets, so that none of them is sorted.
  const smallest = sizes.indexOf(Math.min(...sizes));
  const tests = sets.filter((_, index) => index !== smallest).map(({ test }) => test);
  const { since, until, after } = query;
  if (since !== undefined) tests.push({ text: "found.created_at >= ?", values: [since] });
  if (until !== undefined) tests.push({ text: "found.created_at < ?", values: [until] });
  if (after !== undefined)
    tests.push({ text: "(found.created_at, found.id) < (?, ?)", values: [after.createdAt, after.id] });
  const { search } = sets[smallest] ?? baseSet(query);
  const where = tests.map(({ text }) => text).join(" AND ") || "true";
  const text = `SELECT ${columns}
    FROM (${search.text}) AS found CROSS JOIN runs ON runs.id = found.id WHERE ${where}
    ORDER BY found.created_at DESC, found.id DESC LIMIT ?`;
  return { text, values: [...search.values, ...tests.flatMap(({ values }) => values), query.limit] };
}

/** Returns the runs that the user requested; without a user, all runs of the tenant. */
function baseSet({ tenantId, userId }: RunQuery): RunSet {
  if (userId === undefined) {
    const values = [tenantId];
    return {
      search: { text: "SELECT created_at, id FROM runs INDEXED BY runs_by_tenant WHERE tenant_id = ?", values },
      test: { text: "runs.tenant_id = ?", values },
    };
  }
  return keyedSet("requested_runs", "tenant_id = ? AND user_id = ?", [tenantId, userId]);
}

/** Returns the runs with each tag. */
function tagSets({ tenantId, tags }: RunQuery): readonly RunSet[] {
  return Object.entries(tags).map(([key, value]) =>
    keyedSet("run_tags", "tenant_id = ? AND key = ? AND value = ?", [tenantId, key, value]),
  );
}

/** Returns a set whose table has the runs in list order behind the columns of the condition. */
function keyedSet(table: string, condition: string, values: readonly string[]): RunSet {
  return {
    search: { text: `SELECT run_created_at AS created_at, run_id AS id FROM ${table} WHERE ${condition}`, values },
    test: {
      text: `EXISTS (SELECT 1 FROM ${table} WHERE ${condition} AND run_created_at = found.created_at AND run_id = found.id)`,
      values,
    },
  };
}

/** Returns the runs in one of the states, and those on one of the data sources. */
function attributeSets({ tenantId, states, sources }: RunQuery): readonly RunSet[] {
  const attributes = [
    { column: "state", index: "runs_by_state", accepted: states },
    { column: "data_source_id", index: "runs_by_source", accepted: sources ?? undefined },
  ];
  return attributes.flatMap(({ column, index, accepted }) => {
    if (accepted === undefined) return [];
    // Bound as JSON, so that the length of the list is unlimited.
    const list = JSON.stringify(accepted);
    const condition = `${column} IN (SELECT value FROM json_each(?))`;
    return {
      search: {
        text: `SELECT created_at, id FROM runs INDEXED BY ${index} WHERE tenant_id = ? AND ${condition}`,
        values: [tenantId, list],
      },
      test: { text: `runs.${condition}`, values: [list] },
    };
  });
}

/**
 * Number of newest requests that are searched for one whose run succeeded. The cap bounds the work for a statement with
 * many requests.
 */
const maxRequestsSearched = 100;

/**
 * Builds the query for one request of an SQL statement, with its run: among the newest {@link maxRequestsSearched}, the
 * latest one whose run succeeded, or else the latest.
 */
export function latestRequestStatement(
  sqlStatementId: string,
  { userId, sources }: Pick<RunQuery, "userId" | "sources">,
): SqlStatement {
  const conditions = ["requests.sql_statement_id = ?"];
  const values: SQLInputValue[] = [sqlStatementId];
  if (userId !== undefined) {
    conditions.push("requests.user_id = ?");
    values.push(userId);
  }
  if (sources !== null) {
    conditions.push("runs.data_source_id IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(sources));
  }
  const text = `SELECT * FROM (
    SELECT requests.record AS request, runs.record AS run, runs.state, requests.created_at, requests.rowid AS nth
    FROM requests CROSS JOIN runs ON runs.id = requests.run_id WHERE ${conditions.join(" AND ")}
    ORDER BY requests.created_at DESC, nth DESC LIMIT ${maxRequestsSearched}
  ) ORDER BY state = 'QUERY_STATE_SUCCESS' DESC, created_at DESC, nth DESC LIMIT 1`;
  return { text, values };
}
