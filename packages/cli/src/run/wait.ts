import { type Client, getQueryRun, resumeQuery, type WaitForRunOptions, waitForRun } from "@quern/client";
import type { RunStatus } from "./progress.ts";

/**
 * Waits for the success of a run.
 * @throws {QuernError} The run failed (`failed`) or was canceled (`canceled`).
 */
export async function succeededRun(client: Client, queryRunId: string, options: WaitForRunOptions) {
  const run = await waitForRun(client, queryRunId, options);
  // The run has no result, so this throws its failure.
  if (run.state !== "QUERY_STATE_SUCCESS") await resumeQuery(client, queryRunId, options);
  return run;
}

/** Timeout of a call that reads a run for the progress, in milliseconds; it must not keep a stopped command alive. */
const statusTimeoutMs = 5_000;

export async function readStatus(client: Client, queryRunId: string): Promise<RunStatus> {
  return (await getQueryRun(client, { queryRunId }, { timeoutMs: statusTimeoutMs })).queryRun;
}
