import { type Client, type Parameters, startQuery } from "@quern/client";
import type { Statement } from "../editor/statement.ts";
import type { TabRun } from "../workspace/tab.ts";

export interface RunRequest {
  readonly statement: Statement;
  readonly parameters: Parameters | undefined;
  readonly dataSource: string | undefined;
}

/** Hours for which the service keeps a result of the console, so that its links work for a day. */
const KEPT_HOURS = 24;

/** Starts a run and returns it as soon as its id is known, so that a reload of the page finds it again. */
export async function startRun(client: Client, { statement, parameters, dataSource }: RunRequest): Promise<TabRun> {
  const { queryRunId } = await startQuery(client, {
    sql: statement.sql,
    parameters,
    dataSource,
    resultTTLHours: KEPT_HOURS,
    tags: { source: "console" },
  });
  return { queryRunId, statement };
}
