import { type CallOptions, type Client, getSqlStatement, type QuernError, type QueryRun } from "@quern/client";
import { stateWord } from "./state.ts";

/** Returns the members of a run that a list shows. */
export function runRow(run: QueryRun) {
  const { id, state, createdAt, endedAt, rowCount, dataSourceId, tags, errorName } = run;
  const elapsedMs = (endedAt === null ? Date.now() : Date.parse(endedAt)) - Date.parse(createdAt);
  return {
    id,
    state: stateWord(state),
    created_at: createdAt,
    elapsed_seconds: Math.max(0, elapsedMs) / 1_000,
    rows: rowCount,
    data_source: dataSourceId,
    tags: tagsText(tags),
    error: errorName,
  };
}

/** Statements that are read at the same time. The client sends them in one request. */
const statementsOfRequest = 50;

/** Reads the SQL of the statements of runs, by the id of the statement. One that does not exist any more is left out. */
export async function sqlOfRuns(client: Client, runs: readonly QueryRun[], options: CallOptions) {
  const ids = [...new Set(runs.map(({ sqlStatementId }) => sqlStatementId))];
  const texts = new Map<string, string>();
  while (ids.length > 0) {
    const read = async (sqlStatementId: string) => {
      const found = await getSqlStatement(client, { sqlStatementId }, options).catch((error: QuernError) => {
        if (error.errorName === "SqlStatementNotFound") return undefined;
        throw error;
      });
      if (found !== undefined) texts.set(sqlStatementId, found.sqlStatement.sql);
    };
    await Promise.all(ids.splice(0, statementsOfRequest).map(read));
  }
  return texts;
}

/** Returns SQL on one line, for a cell: white space before the words would take their place. */
export function oneLine(sql: string): string {
  return sql.trim().replaceAll(/\s+/g, " ");
}

function tagsText(tags: QueryRun["tags"]): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
