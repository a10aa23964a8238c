import type { RunPosition, RunQuery } from "@quern/adapter";
import type { StatementRecord } from "@quern/query-run/record";
import { maxSearchedBytes, maxSearchedRuns, textMatcher } from "@quern/query-run/text-search";
import type { Queries, Row } from "./database.ts";
import { parsed } from "./run-records.ts";

/** Selects columns of the first runs of a list after a position. */
export type ReadList = (columns: string, limit: number, after: RunPosition | undefined) => Promise<readonly Row[]>;

/** Runs of a list whose statement contains a text. */
interface FoundRuns {
  /** Rows with the records of the runs. */
  readonly rows: readonly Row[];
  /** Position after which the search continues; null if all runs were searched. */
  readonly next: RunPosition | null;
}

/** Number of runs that are read at a time. */
const batchSize = 2_000;
/** Size of the statements that are read at a time. A larger one is read alone. */
const maxBatchBytes = 1_024 * 1_024;

/** Selects the first of some statements, in their order, up to a size. */
const statementTexts = `SELECT id, record FROM (
    SELECT statements.id, record, octet_length(record) AS size, sum(octet_length(record)) OVER (ORDER BY nth) AS total
    FROM unnest($2::text[]) WITH ORDINALITY AS wanted (id, nth)
    JOIN statements ON statements.tenant_id = $1 AND statements.id = wanted.id
  ) AS sized WHERE total <= ${maxBatchBytes} OR total = size ORDER BY total`;

/**
 * Searches the statements of a list of runs for a text, until a page is full or the bounds of a search are reached. The
 * service compares the texts, since the upper case of a letter depends on the locale of a database.
 */
export async function searchRuns(
  queries: Queries,
  { tenantId, limit, after }: RunQuery,
  text: string,
  read: ReadList,
): Promise<FoundRuns> {
  const hasText = textMatcher(text);
  // Many runs have the same statement.
  const known = new Map<string, boolean>();
  let bytes = 0;
  /** Tests statements that are not known yet, in their order, until the bound on their size is reached. */
  const test = async (ids: readonly string[]): Promise<void> => {
    const missing = new Set(ids.filter((id) => !known.has(id)));
    while (missing.size > 0 && bytes < maxSearchedBytes) {
      const rows = await queries.rows(statementTexts, tenantId, [...missing]);
      // A statement that was erased meanwhile has no run any more.
      if (rows.length === 0) for (const id of missing) known.set(id, false);
      if (rows.length === 0) return;
      for (const { id, record } of rows) {
        const { sql } = parsed<StatementRecord>(record);
        bytes += sql.length;
        known.set(String(id), hasText(sql));
        missing.delete(String(id));
      }
    }
  };

  const found: RunPosition[] = [];
  let last = after;
  let searched = 0;
  const end = async (next: RunPosition | null) => ({ rows: await recordsOf(queries, found), next });
  for (;;) {
    const batch = await read("runs.id, runs.created_at, runs.sql_statement_id", batchSize, last);
    await test(batch.map((row) => String(row.sql_statement_id)));
    for (const row of batch) {
      const isMatch = known.get(String(row.sql_statement_id));
      if (searched === maxSearchedRuns || isMatch === undefined) return end(last ?? null);
      searched += 1;
      // A further run shows that there is another page.
      if (isMatch && found.length === limit) return end(found.at(-1) ?? null);
      last = { createdAt: Number(row.created_at), id: String(row.id) };
      if (isMatch) found.push(last);
    }
    if (batch.length < batchSize) return end(null);
  }
}

/** Reads the records of runs, in their order. A run that was deleted meanwhile is left out. */
async function recordsOf(queries: Queries, found: readonly RunPosition[]): Promise<readonly Row[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  return queries.rows("SELECT record FROM runs WHERE id = ANY($1::text[]) ORDER BY created_at DESC, id DESC", ids);
}
