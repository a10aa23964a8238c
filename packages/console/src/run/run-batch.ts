import { type Client, getQueryRun, QuernError, type QueryRun } from "@quern/client";
import type { Batch, BatchEntry, Tab } from "../workspace/tab.ts";
import { hasSucceeded, isFinal } from "./run-state.ts";
import { type RunRequest, startRun } from "./start-run.ts";

interface BatchOptions {
  readonly client: Client;
  readonly requests: readonly RunRequest[];
  /** Returns the tab of the batch; undefined if it is closed. */
  readonly tab: () => Tab | undefined;
  readonly change: (members: Partial<Tab>) => void;
}

const RETRY_MS = 1000;

/**
 * Runs statements one after the other, until one does not succeed. The tab shows each run at its start, unless the user
 * has chosen another one. Closing the tab, or another run in it, ends the batch after the statement that is running.
 */
export async function runBatch({ client, requests, tab, change }: BatchOptions): Promise<void> {
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  const batch: Batch = { id, entries: requests.map(({ statement }) => ({ statement })) };
  change({ batch, run: undefined });
  const isCurrent = () => tab()?.batch?.id === id;
  const enter = (index: number, members: Partial<BatchEntry>) => {
    const entries = tab()?.batch?.entries ?? [];
    return { id, entries: entries.map((entry, at) => (at === index ? { ...entry, ...members } : entry)) };
  };
  let shown: string | undefined;
  for (const [index, request] of requests.entries()) {
    if (!isCurrent()) return;
    try {
      const run = await startRun(client, request);
      if (!isCurrent()) return;
      const isFollowed = tab()?.run?.queryRunId === shown;
      change({ batch: enter(index, { queryRunId: run.queryRunId }), ...(isFollowed && { run }) });
      shown = run.queryRunId;
      const ended = await endOf(client, run.queryRunId, isCurrent);
      if (ended === undefined || !hasSucceeded(ended)) return;
    } catch (error) {
      if (isCurrent()) change({ batch: enter(index, { refusal: Object(error).message }) });
      return;
    }
  }
}

/** Waits for the end of a run, also while the service does not answer. Undefined once nobody waits. */
async function endOf(client: Client, queryRunId: string, isAwaited: () => boolean): Promise<QueryRun | undefined> {
  while (isAwaited()) {
    try {
      const { queryRun } = await getQueryRun(client, { queryRunId, waitSeconds: 20 });
      if (isFinal(queryRun.state)) return queryRun;
    } catch (error) {
      if (!isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
}

const isTransient = (error: unknown): boolean =>
  error instanceof QuernError &&
  (error.kind === "network" || error.kind === "timeout" || (error.kind === "http" && error.status >= 500));
