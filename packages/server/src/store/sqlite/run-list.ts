import type { SQLInputValue } from "node:sqlite";
import type { RunQuery } from "../run-store.ts";

/** The statement that lists runs; every condition narrows it. */
export function listStatement(query: RunQuery): { text: string; values: SQLInputValue[] } {
  const conditions = ["tenant_id = ?", "user_id = ?"];
  const values: SQLInputValue[] = [query.tenantId, query.userId];
  const narrow = (condition: string, ...more: SQLInputValue[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (query.states !== undefined) narrow(`state IN (${query.states.map(() => "?").join(", ")})`, ...query.states);
  if (query.since !== undefined) narrow("created_at >= ?", query.since);
  if (query.after !== undefined) narrow("(created_at, id) < (?, ?)", query.after.createdAt, query.after.id);
  for (const [key, value] of Object.entries(query.tags)) {
    // Not by a JSON path: a key may have any character.
    narrow("EXISTS (SELECT 1 FROM json_each(record, '$.tags') WHERE key = ? AND value = ?)", key, value);
  }
  const text = `SELECT record FROM runs WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return { text, values: [...values, query.limit] };
}
