import type { SQLInputValue } from "node:sqlite";
import type { RunQuery } from "@quern/adapter";

// Compares keys instead of using a JSON path, since a key may contain any character.
const hasAllTags = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(record, '$.tags') AS tag WHERE tag.key = wanted.key AND tag.value = wanted.value
  )
)`;

interface SqlStatement {
  readonly text: string;
  readonly values: SQLInputValue[];
}

/** Collects conditions that are joined by AND. Lists are bound as JSON, so that their length is unlimited. */
function createConditions() {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const narrow = (condition: string, ...more: SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  const narrowToSources = (sources: RunQuery["sources"]): void => {
    if (sources !== null)
      narrow("runs.record ->> 'dataSourceId' IN (SELECT value FROM json_each(?))", JSON.stringify(sources));
  };
  return { values, narrow, narrowToSources, where: () => `WHERE ${conditions.join(" AND ")}` };
}

/** Builds the statement that lists the runs of a tenant, or the runs that a user requested, the newest first. */
export function listStatement({ tenantId, userId, ...query }: RunQuery): SqlStatement {
  const { values, narrow, narrowToSources, where } = createConditions();
  const isOfUser = userId !== undefined;
  // Columns of the sort order, in the table whose index has that order.
  const [tenant, createdAt, id] = isOfUser
    ? ["asked.tenant_id", "asked.run_created_at", "asked.run_id"]
    : ["runs.tenant_id", "runs.created_at", "runs.id"];
  narrow(`${tenant} = ?`, tenantId);
  if (isOfUser) narrow("asked.user_id = ?", userId);
  narrowToSources(query.sources);
  if (query.states !== undefined) narrow("state IN (SELECT value FROM json_each(?))", JSON.stringify(query.states));
  if (query.since !== undefined) narrow(`${createdAt} >= ?`, query.since);
  if (query.after !== undefined) narrow(`(${createdAt}, ${id}) < (?, ?)`, query.after.createdAt, query.after.id);
  if (Object.keys(query.tags).length > 0) narrow(hasAllTags, JSON.stringify(query.tags));
  const from = isOfUser ? "asked CROSS JOIN runs ON runs.id = asked.run_id" : "runs";
  const text = `SELECT record FROM ${from} ${where()} ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ?`;
  return { text, values: [...values, query.limit] };
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
  const { values, narrow, narrowToSources, where } = createConditions();
  narrow("requests.sql_statement_id = ?", sqlStatementId);
  if (userId !== undefined) narrow("requests.user_id = ?", userId);
  narrowToSources(sources);
  const text = `SELECT * FROM (
    SELECT requests.record AS request, runs.record AS run, runs.state, requests.created_at, requests.rowid AS nth
    FROM requests CROSS JOIN runs ON runs.id = requests.run_id ${where()}
    ORDER BY requests.created_at DESC, nth DESC LIMIT ${maxRequestsSearched}
  ) ORDER BY state = 'QUERY_STATE_SUCCESS' DESC, created_at DESC, nth DESC LIMIT 1`;
  return { text, values };
}
