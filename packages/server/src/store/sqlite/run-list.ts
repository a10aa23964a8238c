import type { SQLInputValue } from "node:sqlite";
import type { RunQuery } from "@quern/adapter";

// Labels are not looked up by a JSON path, since a key may have any character.
const hasAllTags = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(record, '$.tags') AS tag WHERE tag.key = wanted.key AND tag.value = wanted.value
  )
)`;

interface SqlStatement {
  readonly text: string;
  readonly values: SQLInputValue[];
}

/** Every condition narrows. Lists travel as JSON, so that no length of them is too much. */
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

/** The statement that lists runs: those of a tenant, or those that a user asked for. */
export function listStatement({ tenantId, userId, ...query }: RunQuery): SqlStatement {
  const { values, narrow, narrowToSources, where } = createConditions();
  const ofUser = userId !== undefined;
  // What the order is by, where an index has it.
  const [tenant, createdAt, id] = ofUser
    ? ["asked.tenant_id", "asked.run_created_at", "asked.run_id"]
    : ["runs.tenant_id", "runs.created_at", "runs.id"];
  narrow(`${tenant} = ?`, tenantId);
  if (ofUser) narrow("asked.user_id = ?", userId);
  narrowToSources(query.sources);
  if (query.states !== undefined) narrow("state IN (SELECT value FROM json_each(?))", JSON.stringify(query.states));
  if (query.since !== undefined) narrow(`${createdAt} >= ?`, query.since);
  if (query.after !== undefined) narrow(`(${createdAt}, ${id}) < (?, ?)`, query.after.createdAt, query.after.id);
  if (Object.keys(query.tags).length > 0) narrow(hasAllTags, JSON.stringify(query.tags));
  const from = ofUser ? "asked CROSS JOIN runs ON runs.id = asked.run_id" : "runs";
  const text = `SELECT record FROM ${from} ${where()} ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ?`;
  return { text, values: [...values, query.limit] };
}

/** How far back a result is looked for: somebody may have asked for the same statement a million times. */
const requestsLookedAt = 100;

/** The statement that finds the latest request for a statement that has a result, or else the latest one, and its run. */
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
    ORDER BY requests.created_at DESC, nth DESC LIMIT ${requestsLookedAt}
  ) ORDER BY state = 'QUERY_STATE_SUCCESS' DESC, created_at DESC, nth DESC LIMIT 1`;
  return { text, values };
}
