import type { DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { serveParent, toFailure } from "../processes/serving.ts";
import { maxCellBytesOf, withinCap } from "../results/result-cap.ts";
import { completions } from "./completion.ts";
import { hidePaths, onEngine } from "./engine-error.ts";
import type { Admission } from "./gate.ts";
import { checkParameters, describeParameters } from "./parameters.ts";
import { type Engine, type EngineOptions, openEngine, type Sandbox } from "./sandbox.ts";
import type { SourceObjects } from "./source-objects.ts";
import { columnShapes, explainColumns, runStatement, toResultColumns, writeExplain } from "./statement.ts";
import { sourceTables } from "./table-list.ts";
import type {
  CompleteAnswer,
  CompleteTask,
  DescribeAnswer,
  DescribeTask,
  ExecuteAnswer,
  ExecuteTask,
  FinishAnswer,
  SandboxTask,
  TablesAnswer,
} from "./task.ts";
import { createUploadTables, failureOfUploads } from "./upload-tables.ts";

/** Admits and prepares a statement, or throws. */
type Gate = (
  connection: DuckDBConnection,
  sql: string,
  useAllThreads: () => Promise<void>,
  source: SourceObjects,
) => Promise<Admission>;

const progressIntervalMs = 500;

let engine: Promise<Engine> | undefined;

/** Opens the engine. It is the first call of each process. */
async function open(argument: unknown): Promise<void> {
  engine = onEngine("", () => openEngine(argument as EngineOptions)); // sent by `empty-database.ts`
  await engine;
}

function openedEngine(): Promise<Engine> {
  if (engine === undefined) throw new Error("The engine is not open: call open first.");
  return engine;
}

/**
 * Prepares the process for the next task of its user. It follows a task that succeeded, or that failed by a fault of its
 * statement.
 */
async function finish(): Promise<FinishAnswer> {
  const isClean = await (await openedEngine()).finish();
  const { user, system } = process.cpuUsage();
  return { isClean, processorSeconds: (user + system) / 1e6 };
}

async function execute(
  task: ExecuteTask,
  sandbox: Sandbox,
  admit: Gate,
  report: (share: number) => void,
): Promise<ExecuteAnswer> {
  const { connection, threads } = sandbox;
  const { sql, parameters, objects, uploads = [] } = task;
  const maxCellBytes = maxCellBytesOf(task);
  await createUploadTables(connection, uploads);
  const admission = await admit(connection, sql, threads.useAll, objects);
  checkParameters(admission.prepared, parameters);
  const statement = { ...admission, connection, threads, sql };
  const { explain } = statement;
  const shapes = explain === undefined ? await columnShapes(statement, parameters) : explainColumns;
  const stop = reportProgress(connection, report);
  const written = await withinCap(task, sandbox, () =>
    explain === undefined
      ? runStatement(statement, parameters, shapes, maxCellBytes)
      : writeExplain({ ...statement, explain }, parameters, sandbox.servicePaths, maxCellBytes),
  ).finally(stop);
  return { ...written, columns: toResultColumns(shapes) };
}

async function describe(task: DescribeTask, sandbox: Sandbox, admit: Gate): Promise<DescribeAnswer> {
  const { sql, objects } = task;
  const { connection, threads } = sandbox;
  const admission = await admit(connection, sql, threads.useAll, objects);
  const { prepared, explain, pivotTypes } = admission;
  const shapes =
    explain === undefined ? await columnShapes({ ...admission, connection, threads, sql }, null) : explainColumns;
  const hasRowNames = pivotTypes > 0 && explain === undefined;
  return { columns: toResultColumns(shapes), parameters: describeParameters(prepared), hasRowNames };
}

/**
 * Performs a task in a sandbox of its databases. An abort interrupts the engine. Messages of failures lose the paths of
 * the service.
 */
async function inSandbox<Task extends SandboxTask & { readonly sql?: string }, T>(
  argument: unknown,
  signal: AbortSignal,
  perform: (task: Task, sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const task = argument as Task; // sent by `executor.ts`
  const opened = await openedEngine();
  let stop = (): void => {};
  try {
    const { databases, sql = "", objects, uploads } = task;
    const sandbox = await onEngine("", () => opened.begin(databases, sql, objects, uploads));
    stop = interruptOnAbort(sandbox.connection, signal);
    const answer = await perform(task, sandbox);
    signal.throwIfAborted();
    return answer;
  } catch (error) {
    const failure = failureOfUploads(toFailure(error), task.uploads ?? []);
    throw new StatementError({ ...failure, message: hidePaths(failure.message, opened.servicePaths) });
  } finally {
    stop();
  }
}

/**
 * Reports the progress of a connection until the returned function is called. The engine knows the progress of scans of
 * tables and files only; during other work nothing is reported.
 * @param report called with a share from 0 to 1 when it has changed
 */
function reportProgress(connection: Pick<DuckDBConnection, "progress">, report: (share: number) => void): () => void {
  let last: number | undefined;
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    if (percentage < 0 || percentage === last) return; // -1: unknown to the engine
    last = percentage;
    report(Math.min(percentage / 100, 1));
  }, progressIntervalMs);
  return () => clearInterval(timer);
}

/** Serves the tasks of an executor, one at a time. */
export function serveStatements(admit: Gate): void {
  serveParent({
    open,
    finish,
    objects: (argument, signal): Promise<SourceObjects> =>
      inSandbox(argument, signal, async () => onEngine("", async () => (await openedEngine()).objects())),
    execute: (argument, signal, report) =>
      inSandbox(argument, signal, (task: ExecuteTask, sandbox) => execute(task, sandbox, admit, report)),
    describe: (argument, signal) =>
      inSandbox(argument, signal, (task: DescribeTask, sandbox) => describe(task, sandbox, admit)),
    tables: (argument, signal): Promise<TablesAnswer> =>
      inSandbox(argument, signal, ({ databases }, { connection }) =>
        onEngine("", () => sourceTables(connection, databases)),
      ),
    complete: (argument, signal): Promise<CompleteAnswer> =>
      inSandbox(argument, signal, ({ sql, position }: CompleteTask, { connection }) =>
        onEngine(sql, () => completions(connection, sql, position)),
      ),
  });
}
