import { createQueryRun, getQueryRun, getQueryRunResults } from "@quern/protocol/methods";
import type {
  CreateQueryRunResult,
  GetQueryRunResult,
  GetQueryRunResultsResult,
  QueryRun,
  QueryRunErrorData,
} from "@quern/protocol/types";
import type { ParamsOf } from "./arguments.ts";
import { type RowsOutput, rowsOutput } from "./rows-output.ts";
import { CallFailure, type Service } from "./service.ts";
import type { Tool } from "./tool.ts";

/** Reports the state of a run that is waited for. */
export type OnProgress = (run: QueryRun) => void;

/** Longest time between two reports of progress, in seconds. */
const reportSeconds = 5;

/**
 * Returns rows of a run. A tool of a method that returns no page creates the run; a run that has not ended after the wait
 * goes on. An abort withdraws the request of this call, and no other one.
 * @throws {CallFailure} the error of a call, or of the run
 */
export async function rowsOf(
  tool: Tool,
  paramsOf: ParamsOf,
  service: Service,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<RowsOutput> {
  const started = performance.now();
  const { waitSeconds: longest = 0 } = paramsOf(getQueryRun);
  const remaining = (): number => {
    const left = Number(longest) - (performance.now() - started) / 1_000;
    return Math.max(0, Math.min(reportSeconds, Math.ceil(left)));
  };
  const created = tool.method.pages ? undefined : await createRun(tool, paramsOf, service, signal, remaining());
  const reused = created && !created.result.queryRequest.triggeredQueryRun;
  const runId = created?.result.queryRun.id ?? String(paramsOf(getQueryRunResults).queryRunId);
  try {
    let run = created?.result.queryRun ?? (await pollRun(runId, service, signal, remaining()));
    while (getQueryRun.final[run.state] === undefined) {
      onProgress(run);
      if (remaining() === 0) return { ...unfinished(run), ...(reused !== undefined && { reused }) };
      run = await pollRun(runId, service, signal, remaining());
    }
    requireSuccess(run);
    return await readPage(runId, reused, paramsOf, service, signal);
  } catch (error) {
    if (signal.aborted) await created?.withdraw();
    throw error instanceof CallFailure ? new CallFailure(error.message, { ...error.details, runId }) : error;
  }
}

/** Created run, and a function that withdraws the request that created it or joined it. */
interface Created {
  readonly result: CreateQueryRunResult;
  readonly withdraw: () => Promise<void>;
}

async function createRun(
  tool: Tool,
  paramsOf: ParamsOf,
  service: Service,
  signal: AbortSignal,
  waitSeconds: number,
): Promise<Created> {
  const idempotencyKey = crypto.randomUUID();
  const withdraw = async (): Promise<void> => {
    const canceler = createQueryRun.canceler?.();
    // The reply has no reader any more, so a failure cannot be reported.
    if (canceler !== undefined)
      await service.call(canceler, { idempotencyKey }, AbortSignal.timeout(10_000)).catch(() => undefined);
  };
  const params = { ...paramsOf(tool.method), idempotencyKey, waitSeconds };
  try {
    // The method creates a run: the generator has checked that it links to the poll and to the page of the run.
    const result = (await service.call(tool.method, params, signal)) as CreateQueryRunResult;
    return { result, withdraw };
  } catch (error) {
    if (signal.aborted) await withdraw();
    throw error;
  }
}

async function pollRun(
  queryRunId: string,
  service: Service,
  signal: AbortSignal,
  waitSeconds: number,
): Promise<QueryRun> {
  signal.throwIfAborted();
  const result = (await service.call(getQueryRun, { queryRunId, waitSeconds }, signal)) as GetQueryRunResult;
  signal.throwIfAborted();
  return result.queryRun;
}

/** @throws {CallFailure} the failure of a run that did not succeed */
function requireSuccess({ id, state, errorName, errorMessage, errorData }: QueryRun): void {
  if (getQueryRun.final[state]) return;
  const data: QueryRunErrorData | null = errorData ?? null;
  const name = errorName ?? "QueryRunCanceled";
  throw new CallFailure(errorMessage ?? "The run was canceled.", { name, data, runId: id });
}

/** Reads a page, with fewer rows if the service refuses it as too large. */
async function readPage(
  runId: string,
  reused: boolean | undefined,
  paramsOf: ParamsOf,
  service: Service,
  signal: AbortSignal,
): Promise<RowsOutput> {
  const { page: given, ...params } = paramsOf(getQueryRunResults);
  const { offset = 0, size: limit } = Object(given) as { readonly offset?: number; readonly size: number };
  for (let size = limit; ; ) {
    try {
      const page = { offset, size };
      const result = await service.call(
        getQueryRunResults,
        { ...params, queryRunId: runId, format: "csv", page },
        signal,
      );
      return rowsOutput(result as GetQueryRunResultsResult, { runId, reused, offset, isShort: size < limit });
    } catch (error) {
      const { maxPageSize } = error instanceof CallFailure ? Object(error.details.data) : {};
      if (typeof maxPageSize !== "number" || maxPageSize >= size) throw error;
      size = maxPageSize;
    }
  }
}

/** Returns the output for a run that is in progress. */
function unfinished({ id, state }: QueryRun): RowsOutput {
  return {
    runId: id,
    state: state === "QUERY_STATE_READY" ? "queued" : "running",
    columns: [],
    columnTypes: [],
    rows: [],
    offset: 0,
    totalRows: null,
    nextOffset: null,
    truncatedBy: null,
    expiresAt: null,
  };
}
