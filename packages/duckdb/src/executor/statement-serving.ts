import type { DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { serveParent, toFailure } from "../processes/serving.ts";
import { withinCap } from "../results/result-cap.ts";
import { completions } from "./completion.ts";
import { hidePaths, onEngine } from "./engine-error.ts";
import type { Admission } from "./gate.ts";
import { checkParameters, describeParameters } from "./parameters.ts";
import { type Engine, type EngineOptions, lockedSandbox, openEngine, type Sandbox } from "./sandbox.ts";
import { columnShapes, explainColumns, toResultColumns, writeExplain, writeResult } from "./statement.ts";
import { sourceTables } from "./table-list.ts";
import type {
  CompleteAnswer,
  CompleteTask,
  DescribeAnswer,
  DescribeTask,
  ExecuteAnswer,
  ExecuteTask,
  SandboxTask,
  TablesAnswer,
} from "./task.ts";

/** What lets a statement through, and prepares it. */
type Gate = (connection: DuckDBConnection, sql: string) => Promise<Admission>;

let engine: Promise<Engine> | undefined;

/** The process is asked this first, and then for one statement. */
async function open(argument: unknown): Promise<void> {
  engine = onEngine("", () => openEngine(argument as EngineOptions)); // written by the executor beside this file
  await engine;
}

async function execute(
  task: ExecuteTask,
  sandbox: Sandbox,
  admit: Gate,
  report: (share: number) => void,
): Promise<ExecuteAnswer> {
  const { connection, directory } = sandbox;
  const { sql, parameters } = task;
  const admission = await admit(connection, sql);
  checkParameters(admission.prepared, parameters);
  const statement = { ...admission, connection, sql };
  const { explain } = statement;
  const shapes = explain === undefined ? await columnShapes(statement, parameters) : explainColumns;
  const stop = reportProgress(connection, report);
  const written = await withinCap(task, sandbox, () =>
    explain === undefined
      ? writeResult(statement, parameters, shapes, directory)
      : writeExplain({ ...statement, explain }, parameters, directory, servicePaths(task, directory)),
  ).finally(stop);
  return { ...written, columns: toResultColumns(shapes) };
}

async function describe(task: DescribeTask, { connection }: Sandbox, admit: Gate): Promise<DescribeAnswer> {
  const { sql } = task;
  const admission = await admit(connection, sql);
  const { prepared, explain } = admission;
  const shapes = explain === undefined ? await columnShapes({ ...admission, connection, sql }, null) : explainColumns;
  return { columns: toResultColumns(shapes), parameters: describeParameters(prepared) };
}

/** Performs a task, whose argument is written by the executor beside this file, in a sandbox of its databases. */
async function inSandbox<Task extends SandboxTask & { readonly sql?: string }, T>(
  argument: unknown,
  signal: AbortSignal,
  perform: (task: Task, sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const task = argument as Task;
  if (engine === undefined) throw new Error("the engine was not opened");
  const opened = await engine;
  let stop = (): void => {};
  try {
    const sandbox = await onEngine("", () => lockedSandbox(opened, task.databases, task.sql ?? ""));
    stop = interruptOnAbort(sandbox.connection, signal);
    const outcome = await perform(task, sandbox);
    signal.throwIfAborted();
    return outcome;
  } catch (error) {
    const failure = toFailure(error);
    throw new StatementError({ ...failure, message: hidePaths(failure.message, servicePaths(task, opened.directory)) });
  } finally {
    stop();
  }
}

function servicePaths({ databases }: SandboxTask, directory: string): readonly string[] {
  return [directory, ...databases.map(({ path }) => path)];
}

/** Serves one statement of a caller, then the process ends. */
export function serveStatements(admit: Gate): void {
  serveParent({
    open,
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
        onEngine(sql, () => completions(connection, sql.slice(0, position))),
      ),
  });
}

const intervalMs = 500;

/**
 * Reports the progress of what a connection runs until the function it returns is called. The engine knows it for scans of
 * tables and files alone; meanwhile nothing is reported.
 * @param report called with a share from 0 to 1 when it has changed
 */
export function reportProgress(
  connection: Pick<DuckDBConnection, "progress">,
  report: (share: number) => void,
): () => void {
  let last: number | undefined;
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    if (percentage < 0 || percentage === last) return; // -1: the engine does not know
    last = percentage;
    report(Math.min(percentage / 100, 1));
  }, intervalMs);
  return () => clearInterval(timer);
}
