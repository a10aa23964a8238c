import { mkdir, readdir, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { Completion, Description, ResultCaps, SourceTable, WrittenResult } from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import { type Child, siblingModule, startChild } from "../processes/child.ts";
import type { Database } from "../sources/held-data.ts";
import type { EngineOptions } from "./sandbox.ts";
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

/** SQL of a caller on the files of a source. */
export interface EngineQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly databases: readonly Database[];
}

/**
 * Runs statements on DuckDB. Each method throws `StatementError` with the failure in the caller's words,
 * `EngineLostError` when the process has ended, and the signal's reason when the caller gave up.
 */
export interface Executor {
  /** @param onProgress called now and then with the share of the work that is done, from 0 to 1, where the engine tells it */
  execute(
    query: EngineQuery,
    caps: ResultCaps,
    signal: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<WrittenResult>;
  describe(query: EngineQuery, signal: AbortSignal): Promise<Description>;
  tables(databases: readonly Database[], signal: AbortSignal): Promise<readonly SourceTable[]>;
  /** @param position offset in UTF-16 code units */
  complete(
    query: Omit<EngineQuery, "parameters">,
    position: number,
    signal: AbortSignal,
  ): Promise<readonly Completion[]>;
  close(): Promise<void>;
}

/** Limits of one statement. They have no defaults here: the service has a table of them. */
export interface StatementProcessLimits {
  /** Memory of the engine; the process gets 1,000 MB beyond it for all that the engine does not count. */
  readonly memoryMegabytes: number;
  /** Disk space for data that does not fit into the memory. */
  readonly spillMegabytes: number;
  /** Largest file of a result that any statement may ask for. */
  readonly maxResultBytes: number;
  /** Longest time that a statement may take: its process may use all its threads that long. */
  readonly statementTimeoutSeconds: number;
}

export interface DuckDBExecutorOptions extends StatementProcessLimits {
  /** Where each process gets a directory of its own. */
  readonly workDirectory: string;
  /** Processes that wait for work; one starts in about 200 ms. @default 1 */
  readonly warmProcesses?: number;
  /** Threads of the engine. @default the number of processors, at most 4 */
  readonly threads?: number;
}

interface Worker {
  readonly child: Child;
  /** Of its folder. */
  readonly name: string;
}

/** What the engine may write beyond its limits before it notices. */
const spareBytes = 100_000_000;

/**
 * Runs each statement in a process and an engine of its own, with limits from outside.
 * @throws {TypeError} if a limit is missing or is not a number above 0
 */
export function createDuckDBExecutor(options: DuckDBExecutorOptions): Executor {
  return createProcessExecutor(siblingModule("./worker", import.meta.url), options);
}

/** @param module what each process runs: it serves statements, behind a gate or, in tests, without one */
export function createProcessExecutor(module: URL, options: DuckDBExecutorOptions): Executor {
  const { warmProcesses = 1, threads = Math.min(availableParallelism(), 4) } = options;
  const { memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds } = options;
  checkLimits({ memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds });
  const spillBytes = spillMegabytes * 1_000_000;
  const limits = {
    maxMemoryBytes: (memoryMegabytes + 1_000) * 1_000_000,
    maxProcessorSeconds: Math.ceil((statementTimeoutSeconds + 60) * (threads + 1)),
    // Of one file, and of all; the engine and the cap of the result are more exact and tell the caller more.
    maxFileBytes: Math.max(spillBytes, maxResultBytes) + spareBytes,
    maxDirectoryBytes: spillBytes + maxResultBytes + spareBytes,
  };
  const workDirectory = resolve(options.workDirectory); // the processes have directories of their own
  const warm: Promise<Worker>[] = [];
  const alive = new Set<Worker>();
  const inUse = new Set<string>();
  const prefix = `worker-${process.pid}-`;
  let started = 0;
  let closed = false;

  async function start(): Promise<Worker> {
    const name = `${prefix}${++started}`;
    const directory = join(workDirectory, name);
    inUse.add(name);
    await mkdir(directory, { recursive: true });
    const child = startChild({ module, directory, ...limits });
    const worker = { child, name };
    alive.add(worker);
    const settings: EngineOptions = { directory, threads, memoryMegabytes, spillMegabytes };
    child.call("open", settings).catch(() => {}); // the statement it is opened for learns of it
    if (closed) await end(worker);
    return worker;
  }

  async function end(worker: Worker): Promise<void> {
    worker.child.kill();
    await worker.child.ended;
    alive.delete(worker);
    inUse.delete(worker.name);
    await removeUnused();
  }

  /** Also what could not be removed when its own process ended: the disk may have been too full, or a file still open. */
  async function removeUnused(): Promise<void> {
    const names = await readdir(workDirectory).catch(() => []);
    const unused = names.filter((name) => name.startsWith(prefix) && !inUse.has(name));
    await Promise.allSettled(unused.map((name) => rm(join(workDirectory, name), { recursive: true, force: true })));
  }

  function fill(): void {
    while (!closed && warm.length < warmProcesses) {
      const worker = start();
      worker.catch(() => {}); // whoever takes it learns of it
      warm.push(worker);
    }
  }

  /** A worker that waits, unless it died while it waited. */
  async function take(): Promise<Worker> {
    for (let next = warm.shift(); next !== undefined; next = warm.shift()) {
      const worker = await next;
      if (!worker.child.hasEnded) return worker;
      await end(worker);
    }
    return start();
  }

  async function perform(
    task: string,
    argument: SandboxTask,
    signal: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<[Worker, unknown]> {
    signal.throwIfAborted();
    const worker = await take();
    const answer = worker.child.call(task, argument, signal, onProgress);
    fill();
    try {
      return [worker, await answer];
    } catch (error) {
      await end(worker);
      // Whatever an interrupted engine says, the caller gave up.
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Performs a task whose answer is all that is wanted of the process. */
  async function answerOf(task: string, argument: SandboxTask, signal: AbortSignal): Promise<unknown> {
    const [worker, answer] = await perform(task, argument, signal);
    await end(worker);
    return answer;
  }

  fill();
  // Answers are written by a worker with `serveStatements`, which makes each `as` below true.
  return {
    async execute({ sql, parameters, databases }, { maxResultRows, ...caps }, signal, onProgress) {
      const task: ExecuteTask = {
        ...{ sql, parameters, databases, maxResultRows },
        maxResultBytes: Math.min(caps.maxResultBytes, maxResultBytes),
      };
      const [worker, answer] = await perform("execute", task, signal, onProgress);
      const { path, columns, rowCount } = answer as ExecuteAnswer;
      return { path, columns, rowCount, release: () => end(worker) };
    },
    async describe({ sql, databases }, signal) {
      const task: DescribeTask = { sql, databases };
      return (await answerOf("describe", task, signal)) as DescribeAnswer;
    },
    tables: async (databases, signal) => (await answerOf("tables", { databases }, signal)) as TablesAnswer,
    async complete({ sql, databases }, position, signal) {
      const task: CompleteTask = { sql, databases, position };
      return (await answerOf("complete", task, signal)) as CompleteAnswer;
    },
    async close() {
      closed = true;
      await Promise.allSettled(warm);
      await Promise.all([...alive].map(end));
    },
  };
}

/** Without a check a missing limit is no limit for a process. */
function checkLimits(limits: StatementProcessLimits): void {
  for (const [name, value] of Object.entries(limits))
    if (typeof value !== "number" || !(value > 0))
      throw new TypeError(`Invalid limit ${name}: expected a number above 0, got ${value}.`);
}
