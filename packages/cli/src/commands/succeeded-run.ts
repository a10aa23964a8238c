import { type Client, resumeQuery, type WatchOptions, waitForRun } from "@quern/client";

/**
 * Waits for the success of a run.
 * @throws {QuernError} `failed` or `canceled` where it ended otherwise.
 */
export async function succeededRun(client: Client, queryRunId: string, options: WatchOptions) {
  const run = await waitForRun(client, queryRunId, options);
  // A run that did not succeed has no result to open: this throws its failure.
  if (run.state !== "QUERY_STATE_SUCCESS") await resumeQuery(client, queryRunId, options);
  return run;
}
