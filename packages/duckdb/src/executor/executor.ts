import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { availableParallelism } from "node:os";
import {
  type Completion,
  type Description,
  isStatementError,
  type ResultCaps,
  type ReturnedResult,
  type SourceTable,
  startDeadline,
  type UploadedTable,
  type WrittenResult,
} from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import { type Child, siblingModule, startChild } from "../processes/child.ts";
import type { ChildDirectory } from "../processes/child-directory.ts";
import type { Priority } from "../processes/launch.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import { createProcessPool, type PooledProcess } from "../processes/process-pool.ts";
import type { UserIds } from "../processes/user-ids.ts";
import { checkedCells } from "../results/checked-cells.ts";
import { resultFile } from "../results/output-file.ts";
import type { Database } from "../sources/held-data.ts";
import { createEngineStart } from "./empty-database.ts";
import { createKnownObjects } from "./known-objects.ts";
import { checkLimits, defaultIdleProcesses, type StatementProcessLimits } from "./process-limits.ts";
import type {
  CompleteAnswer,
  CompleteTask,
  DescribeAnswer,
  DescribeTask,
  ExecuteAnswer,
  ExecuteTask,
  FinishAnswer,
  Isolation,
  SandboxTask,
  TablesAnswer,
} from "./task.ts";
import { lendUploads } from "./uploads.ts";

/** Files of a source, for one user. */
export interface DataOfOwner {
  readonly databases: readonly Database[];
  /** Identity of the tenant, the user and the source. A process serves one of them only. */
  readonly owner: string;
  /** Revision of the files. A process serves one of them only. */
  readonly revision: string;
}

/** SQL of a caller on the files of a source. */
export interface EngineQuery extends DataOfOwner {
  readonly sql: string;
  readonly parameters: Parameters | null;
  /** Files of the caller that the statement reads as tables. @default none */
  readonly uploads?: readonly UploadedTable[] | undefined;
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
  ): Promise<ReturnedResult | WrittenResult>;
  describe(query: EngineQuery, signal: AbortSignal): Promise<Description>;
  tables(data: DataOfOwner, signal: AbortSignal): Promise<readonly SourceTable[]>;
  /** @param position offset in UTF-16 code units */
  complete(
    query: Omit<EngineQuery, "parameters">,
    position: number,
    signal: AbortSignal,
  ): Promise<readonly Completion[]>;
  close(): Promise<void>;
}

/** Limits, directory and number of the statement processes. */
export interface DuckDBExecutorOptions extends StatementProcessLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** Number of started processes that wait for the first statement of a user. A start takes about 200 ms. @default 1 */
  readonly warmProcesses?: number;
  /**
   * Amount that the statements of one user on one source share: `user`, a process with its engine; `instance`, a process,
   * which opens an engine for each statement; `run`, nothing.
   * @default "user"
   */
  readonly isolation?: Isolation;
  /** Priority of the processes: that of the server, or lower. @default "normal" */
  readonly priority?: Priority;
  /**
   * Largest number of idle processes, which wait for the next statements of their users. Each takes about 100 MB.
   * @default the machine's memory divided by 500 MB, from 1 to 32
   */
  readonly maxIdleProcesses?: number;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Budget for the memory of these and other processes together. @default no limit in addition to that of each process */
  readonly memory?: MemoryBudget | undefined;
  /** Threads of the engine. @default the number of processors, at most 4 */
  readonly threads?: number;
}

/** Memory that a process may use beyond the limit of its engine, in MB. */
const uncountedMegabytes = 1_000;
/** Bytes by which the engine can exceed its limits before it checks them. Limits of its process are higher by them. */
const spareBytes = 100_000_000;
/** Statements of one process. */
const maxUses = 500;
/** Age from which a process is not kept for another statement, in milliseconds: 10 minutes. */
const maxAgeMs = 600_000;
/** Resident memory above which a process is not kept. A new one has about 100 MB. */
const maxIdleBytes = 400_000_000;
/** Time after which a process that still cleans up after a statement is ended, in milliseconds. */
const finishTimeoutMs = 5_000;

/**
 * Creates an executor that runs statements in child processes. A process runs one statement at a time, and only those of
 * one user on one revision of a source.
 * @throws {TypeError} if a limit is missing or is not a number above 0
 */
export function createDuckDBExecutor(options: DuckDBExecutorOptions): Executor {
  return createProcessExecutor(siblingModule("./worker", import.meta.url), options);
}

/** @param module Module of the processes, which calls `serveStatements`. Tests pass one that admits every statement. */
export function createProcessExecutor(module: URL, options: DuckDBExecutorOptions): Executor {
  const { warmProcesses = 1, threads = Math.min(availableParallelism(), 4) } = options;
  const { isolation = "user", priority = "normal", memory } = options;
  const { maxIdleProcessesOfUser, maxIdleProcesses = defaultIdleProcesses(), idleProcessSeconds } = options;
  const { memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds } = options;
  const engineLimits = { memoryMegabytes, spillMegabytes, maxResultBytes, statementTimeoutSeconds };
  checkLimits({ ...engineLimits, maxIdleProcessesOfUser, idleProcessSeconds });
  const spillBytes = spillMegabytes * 1_000_000;
  const processorSecondsOfStatement = Math.ceil((statementTimeoutSeconds + 60) * (threads + 1));
  // The engine and the cap of the result stop a statement first, with a better message. These limits stop what gets
  // past them.
  const limits = {
    maxMemoryBytes: (memoryMegabytes + uncountedMegabytes) * 1_000_000,
    // A process that has used the time of one statement ends, so each statement has at least that time.
    maxProcessorSeconds: 2 * processorSecondsOfStatement,
    maxFileBytes: Math.max(spillBytes, maxResultBytes) + spareBytes,
    maxDirectoryBytes: spillBytes + maxResultBytes + spareBytes,
  };
  const settings = { threads, memoryMegabytes, spillMegabytes, isolation };
  const engines = createEngineStart(options.workDirectory);
  const knownObjects = createKnownObjects();
  const processes = createProcessPool({
    maxUses,
    maxAgeMs,
    maxIdleBytes,
    maxIdle: maxIdleProcesses,
    maxIdleOfOwner: maxIdleProcessesOfUser,
    maxIdleMs: idleProcessSeconds * 1_000,
    workDirectory: options.workDirectory,
    name: "worker",
    warmProcesses,
    userIds: options.userIds,
    start(directory) {
      const { path, userId } = directory;
      const child = startChild({ module, directory: path, kind: "statement", userId, memory, priority, ...limits });
      engines.open(child, directory, settings);
      return child;
    },
  });
  /** Databases of each process, under the paths that the process has for them. */
  const shared = new WeakMap<Child, readonly Database[]>();
  /** Processes that are acquired and not yet released, also those that are still being acquired. */
  const inUse = new Set<Promise<PooledProcess>>();
  /** Processes that may read files of a caller. Each serves one statement. */
  const withUploads = new WeakSet<Child>();

  async function acquire({ owner, revision }: DataOfOwner): Promise<PooledProcess> {
    const acquired = processes.acquire(owner, revision);
    const remove = (): void => void inUse.delete(acquired);
    inUse.add(acquired);
    acquired.catch(remove);
    const process = await acquired;
    return { ...process, release: (isReusable) => process.release(isReusable).finally(remove) };
  }

  async function perform(
    task: string,
    { uploads: given = [], ...data }: DataOfOwner & Pick<EngineQuery, "uploads">,
    argument: object,
    signal: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<[PooledProcess, unknown]> {
    signal.throwIfAborted();
    // A process of its own, because the lock of its engine allows the files.
    const process = await acquire(given.length === 0 ? data : { ...data, owner: `${data.owner} ${randomUUID()}` });
    const { child, directory } = process;
    try {
      if (given.length > 0) withUploads.add(child);
      const uploads = lendUploads(directory, given);
      const isFirstTask = !shared.has(child);
      const on = { databases: databasesOf(process, data), ...(uploads.length > 0 && { uploads }) };
      await engines.copied();
      const objects = await knownObjects.of(data, isFirstTask, () => child.call("objects", on, signal));
      return [process, await child.call(task, { ...argument, ...on, objects }, signal, onProgress)];
    } catch (error) {
      await release(process, isFaultOfStatement(error) && !signal.aborted);
      // After an abort the reason of the signal counts, whatever the interrupted engine reports.
      signal.throwIfAborted();
      throw error;
    }
  }

  /** A process shares the files once, because it serves one revision of them. */
  function databasesOf({ child, directory }: PooledProcess, data: DataOfOwner): readonly Database[] {
    const databases =
      shared.get(child) ?? data.databases.map((database, index) => shareDatabase(directory, database, index));
    shared.set(child, databases);
    return databases;
  }

  /** Keeps a process for its owner if it can serve another task, otherwise ends it. */
  async function release(process: PooledProcess, isHealthy: boolean): Promise<void> {
    await process.release(isHealthy && (await canServeAgain(process)));
  }

  /** Cleans a process up. Returns true if nothing of its last task is left, and it may use enough processor time. */
  async function canServeAgain({ child }: PooledProcess): Promise<boolean> {
    if (isolation === "run" || withUploads.has(child)) return false;
    const deadline = startDeadline(finishTimeoutMs);
    try {
      const answer = (await child.call("finish", undefined, deadline.signal)) as FinishAnswer;
      return answer.isClean && answer.processorSeconds < processorSecondsOfStatement;
    } catch {
      return false;
    } finally {
      deadline.end();
    }
  }

  /** Performs a task that leaves no file behind. */
  async function answerOf(task: string, data: DataOfOwner, argument: object, signal: AbortSignal): Promise<unknown> {
    const [process, answer] = await perform(task, data, argument, signal);
    await release(process, true);
    return answer;
  }

  // The types of the answers are those that `serveStatements` returns.
  return {
    async execute(
      { sql, parameters, ...data },
      { maxResultRows, maxSmallResultBytes = 0, ...caps },
      signal,
      onProgress,
    ) {
      const argument: Omit<ExecuteTask, keyof SandboxTask> = {
        sql,
        parameters,
        maxResultRows,
        maxResultBytes: Math.min(caps.maxResultBytes, maxResultBytes),
        maxSmallResultBytes,
      };
      const [process, answer] = await perform("execute", data, argument, signal, onProgress);
      try {
        const { columns, rowCount, cells } = answer as ExecuteAnswer;
        if (cells !== undefined) {
          const checked = checkedCells(columns, cells, maxSmallResultBytes);
          return { columns, rowCount: checked.length, cells: checked, release: () => release(process, true) };
        }
        const path = await process.directory.take(resultFile);
        // The process prepares for its next task while the result is stored. It serves none until the result is released,
        // because its directory holds the file.
        const isReusable = canServeAgain(process);
        const end = async (): Promise<void> => {
          // Most result stores have moved the file. One that cannot be removed goes with the directory.
          if (existsSync(path)) await unlink(path).catch(() => {});
          await process.release(await isReusable);
        };
        return { path, columns, rowCount, release: end };
      } catch (error) {
        await release(process, false);
        throw error;
      }
    },
    async describe({ sql, ...data }, signal) {
      const argument: Omit<DescribeTask, keyof SandboxTask> = { sql };
      return (await answerOf("describe", data, argument, signal)) as DescribeAnswer;
    },
    tables: async (data, signal) => (await answerOf("tables", data, {}, signal)) as TablesAnswer,
    async complete({ sql, ...data }, position, signal) {
      const argument: Omit<CompleteTask, keyof SandboxTask> = { sql, position };
      return (await answerOf("complete", data, argument, signal)) as CompleteAnswer;
    },
    async close() {
      const released = [...inUse].map(async (acquired) => (await acquired).release(false));
      await Promise.all([processes.close(), Promise.allSettled(released)]);
    },
  };
}

/** Shares a file, and the write-ahead log that another program may have left beside it. */
function shareDatabase(directory: ChildDirectory, { name, path }: Database, index: number): Database {
  const link = `${index}.duckdb`;
  directory.share(`${path}.wal`, `${link}.wal`);
  return { name, path: directory.share(path, link).path };
}

/** Returns true for an error after which the engine is as usable as before, such as one of syntax. */
function isFaultOfStatement(error: unknown): boolean {
  return isStatementError(error) && error.failure.data?.category === "USER";
}
