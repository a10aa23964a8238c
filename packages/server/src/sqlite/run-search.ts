import type { DatabaseSync } from "node:sqlite";
import type { RunPosition, RunQuery } from "@quern/adapter";
import { maxSearchedBytes, maxSearchedRuns, textMatcher } from "@quern/query-run/text-search";
import { listStatement, recordColumn, type SqlStatement } from "./run-list.ts";

/** Runs of a list whose statement contains a text. */
interface FoundRuns {
  /** Records as JSON texts, without their parameters. */
  readonly records: readonly string[];
  /** Position after which the search continues; null if all runs were searched. */
  readonly next: RunPosition | null;
}

/** Searches the statements of a list of runs for a text, until a page is full or the bounds of a search are reached. */
export function searchRuns(
  database: DatabaseSync,
  query: RunQuery,
  text: string,
  count: (statement: SqlStatement) => number,
): FoundRuns {
  const record = database.prepare(`SELECT ${recordColumn} FROM runs WHERE id = ?`);
  const sql = database.prepare("SELECT record ->> 'sql' AS sql FROM statements WHERE id = ?");
  const hasText = textMatcher(text);
  // Many runs have the same statement.
  const known = new Map<string, boolean>();
  let bytes = 0;
  const matches = (statementId: string): boolean => {
    const before = known.get(statementId);
    if (before !== undefined) return before;
    const statement = String(sql.get(statementId)?.sql ?? "");
    bytes += statement.length;
    const isMatch = hasText(statement);
    known.set(statementId, isMatch);
    return isMatch;
  };

  const columns = "runs.id, runs.created_at, runs.sql_statement_id";
  const list = listStatement({ ...query, limit: maxSearchedRuns + 1 }, count, columns);
  const found: RunPosition[] = [];
  let last: RunPosition | null = null;
  let searched = 0;
  let next: RunPosition | null = null;
  for (const row of database.prepare(list.text).iterate(...list.values)) {
    if (searched === maxSearchedRuns || bytes >= maxSearchedBytes) {
      next = last;
      break;
    }
    searched += 1;
    last = { createdAt: Number(row.created_at), id: String(row.id) };
    if (!matches(String(row.sql_statement_id))) continue;
    // A further run shows that there is another page.
    if (found.length === query.limit) {
      next = found.at(-1) ?? null;
      break;
    }
    found.push(last);
  }
  return { records: found.map(({ id }) => String(record.get(id)?.record)), next };
}
