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
 * Runs statements on DuckDB. Each method throws `StatementError` with a failure that callers can read,
 * `EngineLostError` if the process ends, and the signal's reason after an abort.
 */
export interface Executor {
  /** @param onProgress called with the completed share of the work, from 0 to 1, if the engine reports it */
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

/** Limits of one statement. They have no defaults here: the service defines them. */
export interface StatementProcessLimits {
  /**
   * Memory of the engine, in MB. The process may use 1,000 MB more, because the engine does not count all of its
   * memory.
   */
  readonly memoryMegabytes: number;
  /** Disk space for data that does not fit into the memory, in MB. */
  readonly spillMegabytes: number;
  /** Largest file of a result, in bytes. A statement may have a smaller limit. */
  readonly maxResultBytes: number;
  /** Time for which a statement may use all of its threads, in seconds. To limit its duration, abort the signal. */
  readonly statementTimeoutSeconds: number;
}

/** Limits, directory and number of the statement processes. */
export interface DuckDBExecutorOptions extends StatementProcessLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** Number of started processes that wait for a statement. A start takes about 200 ms. @default 1 */
  readonly warmProcesses?: number;
  /** Threads of the engine. @default the number of processors, at most 4 */
  readonly threads?: number;
}

interface Worker {
  readonly child: Child;
  /** Name of its directory. */
  readonly name: string;
}

/** Memory that a process may use beyond the limit of its engine, in MB. */
const uncountedMegabytes = 1_000;
/** Bytes that the engine may write beyond its limits before it checks them. */
const spareBytes = 100_000_000;

/**
 * Creates an executor that runs each statement in a process and an engine of its own.
 * @throws {TypeError} if a limit is missing or is not a number above 0
 */
export function createDuckDBExecutor(options: DuckDBExecutorOptions): Executor {
  return createProcessExecutor(siblingModule("./worker", import.meta.url), options);
}

/** @param module Module of the processes, which calls `serveStatements`. Tests pass one that admits every statement. */
export function createProcessExecutor(module: URL, options: DuckDBExecutorOptions): Executor {
  const { warmProcesses = 1, threads = Math.min(availableParallelism(), 4) } = options;
  const { memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds } = options;
  checkLimits({ memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds });
  const spillBytes = spillMegabytes * 1_000_000;
  // The engine and the cap of the result stop a statement first, with a better message. These limits stop what gets
  // past them.
  const limits = {
    maxMemoryBytes: (memoryMegabytes + uncountedMegabytes) * 1_000_000,
    maxProcessorSeconds: Math.ceil((statementTimeoutSeconds + 60) * (threads + 1)),
    maxFileBytes: Math.max(spillBytes, maxResultBytes) + spareBytes,
    maxDirectoryBytes: spillBytes + maxResultBytes + spareBytes,
  };
  const workDirectory = resolve(options.workDirectory); // a process has another working directory
  /** Started processes without a statement, in the order of their start. */
  const warm: Promise<Worker>[] = [];
  const alive = new Set<Worker>();
  /** Names of directories that must not be removed. */
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
    child.call("open", settings).catch(() => {}); // the first task of the process fails with the same error
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

  /**
   * Removes directories of ended processes, also those whose removal failed before because of a full disk or an open
   * file.
   */
  async function removeUnused(): Promise<void> {
    const names = await readdir(workDirectory).catch(() => []);
    const unused = names.filter((name) => name.startsWith(prefix) && !inUse.has(name));
    await Promise.allSettled(unused.map((name) => rm(join(workDirectory, name), { recursive: true, force: true })));
  }

  function fill(): void {
    while (!closed && warm.length < warmProcesses) {
      const worker = start();
      worker.catch(() => {}); // `take` rejects with the same error
      warm.push(worker);
    }
  }

  /** Returns a warm process that is still alive, or starts one. */
  async function take(): Promise<Worker> {
    for (let next = warm.shift(); next !== undefined; next = warm.shift()) {
      const worker = await next;
      if (!worker.child.hasEnded) return worker;
      await end(worker);
    }
    return start();
  }

  /** Performs one task in a process. A process serves no second task: its engine is locked to the first one. */
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
      // After an abort the reason of the signal counts, whatever the interrupted engine reports.
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Performs a task that leaves no file behind, and ends its process. */
  async function answerOf(task: string, argument: SandboxTask, signal: AbortSignal): Promise<unknown> {
    const [worker, answer] = await perform(task, argument, signal);
    await end(worker);
    return answer;
  }

  fill();
  // The types of the answers are those that `serveStatements` returns.
  return {
    async execute({ sql, parameters, databases }, { maxResultRows, ...caps }, signal, onProgress) {
      const task: ExecuteTask = {
        ...{ sql, parameters, databases, maxResultRows },
        maxResultBytes: Math.min(caps.maxResultBytes, maxResultBytes),
      };
      const [worker, answer] = await perform("execute", task, signal, onProgress);
      const { path, columns, rowCount } = answer as ExecuteAnswer;
      // The process stays alive until the result is released: its directory holds the file.
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

/** A missing limit would be NaN, which limits nothing. */
function checkLimits(limits: StatementProcessLimits): void {
  for (const [name, value] of Object.entries(limits))
    if (typeof value !== "number" || !(value > 0))
      throw new TypeError(`Invalid limit ${name}: expected a number above 0, got ${value}.`);
}
