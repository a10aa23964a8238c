import { type Client, getQueryRun, resumeQuery, type WaitForRunOptions, waitForRun } from "@quern/client";

/**
 * Waits for the success of a run.
 * @throws {QuernError} `failed` or `canceled` where it ended otherwise.
 */
export async function succeededRun(client: Client, queryRunId: string, options: WaitForRunOptions) {
  const run = await waitForRun(client, queryRunId, options);
  // A run that did not succeed has no result to open: this throws its failure.
  if (run.state !== "QUERY_STATE_SUCCESS") await resumeQuery(client, queryRunId, options);
  return run;
}

/** Longest time of a call that reads a state for the progress, so that it does not keep a stopped command alive. */
const stateTimeoutMs = 5_000;

export async function readState(client: Client, queryRunId: string): Promise<string> {
  return (await getQueryRun(client, { queryRunId }, { timeoutMs: stateTimeoutMs })).queryRun.state;
}
