import type { SQLInputValue } from "node:sqlite";
import type { RunQuery } from "../run-store.ts";

// Labels are not looked up by a JSON path, since a key may have any character.
const hasAllTags = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(record, '$.tags') AS tag WHERE tag.key = wanted.key AND tag.value = wanted.value
  )
)`;

/** The statement that lists runs; every condition narrows it. Lists travel as JSON, so that no length of them is too much. */
export function listStatement(query: RunQuery): { text: string; values: SQLInputValue[] } {
  const conditions = ["tenant_id = ?"];
  const values: SQLInputValue[] = [query.tenantId];
  const narrow = (condition: string, ...more: SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (query.userId !== undefined) narrow("user_id = ?", query.userId);
  if (query.sources !== null)
    narrow("record ->> 'dataSourceId' IN (SELECT value FROM json_each(?))", JSON.stringify(query.sources));
  if (query.states !== undefined) narrow("state IN (SELECT value FROM json_each(?))", JSON.stringify(query.states));
  if (query.since !== undefined) narrow("created_at >= ?", query.since);
  if (query.after !== undefined) narrow("(created_at, id) < (?, ?)", query.after.createdAt, query.after.id);
  if (Object.keys(query.tags).length > 0) narrow(hasAllTags, JSON.stringify(query.tags));
  const text = `SELECT record FROM runs WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return { text, values: [...values, query.limit] };
}
