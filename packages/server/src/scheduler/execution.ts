import {
  type CellsResult,
  type ClaimedRun,
  type Execution,
  isEngineLostError,
  isResultExistsError,
  isStatementError,
  isUnavailableError,
  type ParquetResult,
  type ResultCaps,
  type ResultStore,
  type ResultWriter,
  type ReturnedResult,
  type Source,
  type Statement,
  StatementError,
  type StatementFailure,
  startDeadline,
  type WrittenResult,
} from "@quern/adapter";
import { cellBytes, checkedCells, diskFullFailure, resultTooLarge } from "@quern/duckdb";
import type { RunFailure, RunRecord, RunResult } from "@quern/query-run/record";
import type { RunEvent } from "@quern/query-run/transition";
import { isDiskFull } from "../common/disk-full.ts";
import type { Log } from "../common/log.ts";
import { untilAvailable } from "../common/unavailable.ts";
import { quotaExceeded, type StorageQuota } from "../results/storage-quota.ts";
import type { RunChanges } from "../runs/run-changes.ts";
import type { RunProgress } from "../runs/run-progress.ts";
import { columnsShown, type SourceCatalog } from "../sources/catalog.ts";
import type { KnownUser, SpentBudget } from "../telemetry/usage-meter.ts";
import type { OpenedUploads, Uploads } from "../uploads/uploads.ts";
import { createStoringState, type StoringState } from "./storing-state.ts";

export interface ExecutionDependencies {
  readonly writer: ResultWriter;
  /** Limits on the size of a result. */
  readonly caps: ResultCaps;
  /** Quota of stored results, which may be smaller than the caps. */
  readonly quota: StorageQuota;
  readonly results: ResultStore;
  readonly changes: RunChanges;
  readonly sources: SourceCatalog;
  readonly uploads: Pick<Uploads, "open">;
  readonly progress: RunProgress;
  /** Returns the exhausted budget of a user, whose runs that have not ended took `executingMs` so far. */
  readonly spentBudget: (user: KnownUser, executingMs: number) => Promise<SpentBudget | undefined>;
  readonly log: Log;
}

/**
 * Reason to abort an execution; `lost` means that this server has lost the lease of the run, or could not renew it,
 * `budget` that its user has no time left in this month.
 */
export type StopReason = "canceled" | "closing" | "lost" | "budget";

/**
 * Executes a claimed run to its end. Success, failure and loss of the engine become events of the run.
 * @param stop aborted with a {@link StopReason}
 * @param onReleased called when the engine is free again, before the end of the run of a small result is stored
 * @throws if an event cannot be stored
 */
export async function executeRun(
  claimed: ClaimedRun,
  deps: ExecutionDependencies,
  stop: AbortSignal,
  onReleased: () => void,
): Promise<void> {
  const { run } = claimed;
  const deadline = startDeadline(run.statementTimeoutSeconds * 1_000);
  try {
    if ((await untilAvailable(() => deps.spentBudget(run, 0), stop)) !== undefined) throw budgetExceeded;
    const signal = AbortSignal.any([stop, deadline.signal]);
    await executeWithinQuota(claimed, deps, { signal, stop, onReleased });
  } catch (error) {
    const event = stop.aborted ? afterStop(run, stop.reason) : afterError(run, error, deadline.signal.aborted);
    if (event?.type === "failed" && event.failure.name === "InternalError")
      deps.log.error(`run ${run.id} failed`, error);
    if (event !== undefined) await untilAvailable(() => deps.changes.apply(run.id, event), stop);
  } finally {
    deadline.end();
  }
}

interface Signals {
  /** Aborted when the execution has to stop, for instance because the run was canceled or has taken too long. */
  readonly signal: AbortSignal;
  /** Aborted like `signal`, but not because the run has taken too long: a result that exists is stored. */
  readonly stop: AbortSignal;
  /** Called when the engine is free again, before the end of the run of a small result is stored. */
  readonly onReleased: () => void;
}

async function executeWithinQuota(claimed: ClaimedRun, deps: ExecutionDependencies, signals: Signals): Promise<void> {
  const { explain, ...caps } = await deps.quota.capsOf(claimed.run.tenantId, deps.caps);
  try {
    await execute(claimed, { ...deps, caps }, signals);
  } catch (error) {
    throw explain(error);
  }
}

/**
 * Takes a snapshot of the data of the source, starts the statement, writes its result, and commits the result to the
 * run. An error at any step releases the snapshot and the execution.
 */
async function execute(
  claimed: ClaimedRun,
  deps: ExecutionDependencies,
  { signal, stop, onReleased }: Signals,
): Promise<void> {
  const { sources } = deps;
  const { run } = claimed;
  // Another server, which has accepted the run, may have seen a new source earlier.
  if (sources.named(run.dataSourceId) === undefined) await untilAvailable(sources.refresh, signal);
  const source = sources.named(run.dataSourceId);
  if (source === undefined) throw new StatementError(sourceGone(run.dataSourceId));
  const kind = sources.kindOf(source);
  const data = await untilAvailable(() => kind.hold(source), signal);
  let execution: Execution;
  let uploads: OpenedUploads | undefined;
  try {
    signal.throwIfAborted(); // the run may have been canceled while its data was prepared
    uploads = await untilAvailable(() => deps.uploads.open(run), signal);
    execution = await kind.begin(statementOf(claimed, { source, data, uploads: uploads.tables }, deps.caps), signal);
  } catch (error) {
    await Promise.all([data.release(), uploads?.release()]);
    throw error;
  }
  const { attempt } = run;
  const storing = createStoringState(() =>
    untilAvailable(() => deps.changes.apply(run.id, { type: "executed", attempt }), signal),
  );
  const stopTracking = deps.progress.track(run.id, () => execution.progress());
  let releasing: Promise<void> | undefined;
  const release = (): Promise<void> => {
    releasing ??= execution.release();
    return releasing;
  };
  try {
    // Release the data before the run ends: a caller who has seen the end may remove the files of the source.
    const written = await writeResult(run, execution, storing, deps, signal).finally(() =>
      Promise.all([data.release(), uploads?.release()]),
    );
    const result = await storeResult(run, source, written, deps, signal);
    // The engine prepares for its next statement while the store writes the end of the run.
    release().then(written.path === undefined ? onReleased : undefined, () => {}); // awaited below
    await commitResult(run, result, storing, deps, stop);
  } finally {
    storing.cancel();
    stopTracking();
    await release();
  }
}

function statementOf(
  { run, sql }: ClaimedRun,
  on: Pick<Statement, "source" | "data" | "uploads">,
  caps: ResultCaps,
): Statement {
  const { id: runId, attempt, tenantId, userId, parameters, tags, traceparent } = run;
  const limits = { ...caps, timeoutSeconds: run.statementTimeoutSeconds };
  return { ...on, runId, attempt, tenantId, userId, sql, parameters, tags, traceparent, limits };
}

/** Waits for the result of an execution, and writes it to a Parquet file unless the engine has done so or it is small. */
async function writeResult(
  { id, attempt, tenantId }: RunRecord,
  execution: Execution,
  storing: StoringState,
  { writer, caps, changes }: ExecutionDependencies,
  signal: AbortSignal,
): Promise<WrittenResult | ReturnedResult> {
  const { engineQueryId } = execution;
  if (engineQueryId !== null)
    await untilAvailable(() => changes.apply(id, { type: "begun", attempt, engineQueryId }), signal);
  const delivered = await execution.result();
  storing.begin();
  switch (delivered.form) {
    case "cells":
      return cellsResult(delivered, caps);
    case "parquet":
      return parquetResult(delivered, caps);
    default: {
      const { cells, ...file } = await writer.write(delivered, caps, signal, tenantId);
      return cells === undefined ? file : { ...file, path: undefined, cells };
    }
  }
}

/** Moves a result into the store of results unless it is small. @throws {StatementError} ResultTooLarge */
async function storeResult(
  run: RunRecord,
  source: Source,
  written: WrittenResult | ReturnedResult,
  { results, caps }: ExecutionDependencies,
  signal: AbortSignal,
): Promise<RunResult> {
  const columns = columnsShown(source, written.columns);
  try {
    if (written.path === undefined) {
      const { cells, rowCount } = written;
      return { columns, rowCount, totalBytes: cellBytes(cells), cells };
    }
    const result = await untilAvailable(() => results.commit(run, { ...written, columns }), signal);
    if (result.totalBytes <= caps.maxResultBytes) return result;
    await results.remove(run);
    throw resultTooLarge(`${caps.maxResultBytes} bytes`);
  } finally {
    await written.release();
  }
}

async function commitResult(
  run: RunRecord,
  result: RunResult,
  storing: StoringState,
  { results, changes, quota }: ExecutionDependencies,
  stop: AbortSignal,
): Promise<void> {
  const { id, attempt } = run;
  const quotaOfTenant = untilAvailable(() => quota.maxStoredBytes(run.tenantId), stop);
  const [storingMs, maxStoredBytes] = await Promise.all([storing.stored(), quotaOfTenant]).catch(
    async (error: unknown) => {
      await results.remove(run);
      throw error;
    },
  );
  const commit = () => changes.commit(id, { type: "committed", attempt, result, storingMs, maxStoredBytes });
  const refusal = await untilAvailable(commit, stop);
  if (refusal === undefined) return;
  // The result does not fit, or the run was canceled or claimed again meanwhile. No record owns the file.
  await results.remove(run);
  if (refusal === "StorageQuotaExceeded" && maxStoredBytes !== undefined) throw quotaExceeded(maxStoredBytes);
}

/** @throws {StatementError} ResultTooLarge */
function cellsResult({ columns, cells }: CellsResult, caps: ResultCaps): ReturnedResult {
  checkedCells(columns, cells, caps.maxSmallResultBytes ?? 0);
  const rowCount = cells.length;
  if (rowCount > caps.maxResultRows) throw resultTooLarge(`${caps.maxResultRows} rows`);
  return { columns, rowCount, cells, release: async () => {} };
}

/**
 * Returns the Parquet file of an engine. The release of the execution removes it.
 * @throws {StatementError} ResultTooLarge
 */
async function parquetResult({ columns, file }: ParquetResult, caps: ResultCaps): Promise<WrittenResult> {
  const { path, rowCount } = await file();
  if (rowCount > caps.maxResultRows) throw resultTooLarge(`${caps.maxResultRows} rows`);
  return { path, rowCount, columns, release: async () => {} };
}

/**
 * Returns the event of an aborted run. A closing server returns the run to the queue. A canceled run has its new state
 * already, and a lost one is reclaimed.
 */
function afterStop({ attempt }: RunRecord, reason: StopReason): RunEvent | undefined {
  if (reason === "budget") return { type: "failed", attempt, failure: budgetExceeded.failure };
  return reason === "closing" ? { type: "released", attempt } : undefined;
}

function afterError(run: RunRecord, error: unknown, timedOut: boolean): RunEvent {
  const { attempt } = run;
  // A store that stays away ends the run, too: a release would execute it again and again.
  if (timedOut) return { type: "failed", attempt, failure: timeout(run, isUnavailableError(error)) };
  // The run is executed again when the store can be reached.
  if (isUnavailableError(error)) return { type: "released", attempt };
  if (isEngineLostError(error) || isResultExistsError(error))
    return { type: "workerLost", attempt, reason: error.message };
  if (isStatementError(error)) return { type: "failed", attempt, failure: error.failure };
  if (isDiskFull(error)) return { type: "failed", attempt, failure: diskFullFailure };
  return { type: "failed", attempt, failure: internalFailure };
}

/** Returns the failure of a timeout, under the name that the published clients expect. */
function timeout({ statementTimeoutSeconds: seconds }: RunRecord, isOutage: boolean): RunFailure {
  return {
    name: "QueryRunTimedOut",
    message: isOutage
      ? `The service could not reach its storage until the time limit of the query ended, ${seconds} seconds; run the query again.`
      : `The query did not end within ${seconds} seconds, the limit of the service; query less data.`,
    data: { category: "RESOURCE", retryable: true },
  };
}

const budgetExceeded = new StatementError({
  name: "BudgetExceeded",
  message:
    "The execution time of the user in this month is used up; wait until the next month, or ask the operator for a larger budget.",
  data: { category: "RESOURCE", retryable: false },
});

function sourceGone(name: string): StatementFailure {
  return {
    name: "DataSourceNotFound",
    message: `The data source ${name} no longer exists.`,
    data: { category: "DATA_SOURCE", retryable: false },
  };
}

const internalFailure: RunFailure = {
  name: "InternalError",
  message: "Internal error: the service could not run the query. Retry it; the log of the service has the cause.",
  data: { category: "INTERNAL", retryable: true },
};
