import {
  type ClaimedRun,
  EngineLostError,
  type Executor,
  type ResultStore,
  StatementError,
  type StatementFailure,
} from "@quern/adapter";
import type { RunFailure, RunRecord } from "@quern/query-run/record";
import type { RunEvent } from "@quern/query-run/transition";
import { deadlineAfter } from "../common/deadline.ts";
import type { Log } from "../common/log.ts";
import type { RunChanges } from "../runs/run-changes.ts";
import type { SourceCatalog } from "../sources/catalog.ts";

export interface ExecutionRoom {
  readonly executor: Executor;
  readonly results: ResultStore;
  readonly changes: RunChanges;
  readonly sources: SourceCatalog;
  readonly log: Log;
}

/** Why an execution is given up from outside; `lost` when the run is not this server's any more. */
export type StopReason = "canceled" | "closing" | "lost";

/** Takes one claimed run as far as it goes. Whatever happens is an event of the run; nothing is thrown. */
export async function executeRun(claimed: ClaimedRun, room: ExecutionRoom, stop: AbortSignal): Promise<void> {
  const { run } = claimed;
  const deadline = deadlineAfter(run.statementTimeoutSeconds);
  try {
    await execute(claimed, room, AbortSignal.any([stop, deadline]));
  } catch (error) {
    const event = stop.aborted ? afterStop(run, stop.reason) : afterError(run, error, deadline.aborted);
    if (event?.type === "failed" && event.failure.name === "InternalError")
      room.log.error(`run ${run.id} failed`, error);
    if (event !== undefined) await room.changes.apply(run.id, event);
  }
}

async function execute({ run, sql }: ClaimedRun, room: ExecutionRoom, signal: AbortSignal): Promise<void> {
  const { executor, results, changes, sources } = room;
  const { attempt, parameters } = run;
  const source = sources.named(run.dataSourceId);
  if (source === undefined) throw new StatementError(sourceGone(run.dataSourceId));
  const { databases, release } = await sources.hold(source);
  const statement = { sql, parameters, source, databases };
  const written = await executor
    .execute(statement, signal, async () => {
      await changes.apply(run.id, { type: "executed", attempt });
    })
    .finally(release);
  try {
    const result = await results.commit(run, written);
    const committed = await changes.apply(run.id, { type: "committed", attempt, result });
    // Somebody was faster, for instance a cancel: the file belongs to nobody.
    if (!committed?.accepted) await results.remove(run);
  } finally {
    await written.release();
  }
}

function afterStop({ attempt }: RunRecord, reason: StopReason): RunEvent | undefined {
  return reason === "closing" ? { type: "released", attempt } : undefined;
}

function afterError(run: RunRecord, error: unknown, timedOut: boolean): RunEvent {
  const { attempt } = run;
  if (timedOut) return { type: "failed", attempt, failure: timeout(run) };
  if (error instanceof EngineLostError) return { type: "workerLost", attempt, reason: error.message };
  if (error instanceof StatementError) return { type: "failed", attempt, failure: error.failure };
  return { type: "failed", attempt, failure: internalFailure };
}

/** The published clients know a timeout by this very name. */
function timeout({ statementTimeoutSeconds }: RunRecord): RunFailure {
  return {
    name: "QueryRunTimedOut",
    message: `The query did not end within ${statementTimeoutSeconds} seconds.`,
    data: { category: "RESOURCE", retryable: true },
  };
}

function sourceGone(name: string): StatementFailure {
  return {
    name: "DataSourceNotFound",
    message: `The data source ${name} does not exist any more.`,
    data: { category: "DATA_SOURCE", retryable: false },
  };
}

const internalFailure: RunFailure = {
  name: "InternalError",
  message: "The service could not run the query.",
  data: { category: "INTERNAL", retryable: true },
};
