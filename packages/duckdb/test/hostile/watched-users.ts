import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { processesInside } from "../../../server/test/inside-processes.ts";
// The built package is used, because its processes start faster than from sources.
import { createProcessExecutor } from "../../dist/executor/executor.js";
import { emptyDatabase } from "../../src/executor/task.ts";
import { statementLimits } from "../executor/statement-limits.ts";
import { engineState } from "./engine-state.ts";
import type { Places } from "./hostile-statement.ts";
import { contents, furnish } from "./surroundings.ts";

/** Engine and directory that a run of a user finds. */
export interface Finding {
  /** Process id and start of the process. On a machine without /proc, the directory of the process. */
  readonly process: string;
  readonly state: readonly string[];
  readonly files: readonly string[];
}

/** Users whose statements run on one executor, and among files that none of them may change. */
export interface WatchedUsers extends AsyncDisposable {
  readonly places: Places;
  /** Runs statements one after the other, whatever becomes of them. Returns what the next run of the user finds. */
  after(user: string, ...statements: readonly string[]): Promise<Finding>;
  expectNothingChanged(): Promise<void>;
}

const sizes = { memoryMegabytes: 200, spillMegabytes: 50, maxResultBytes: 20_000_000, statementTimeoutSeconds: 10 };
/** Time after which a statement is aborted that no limit ends, in milliseconds. */
const timeoutMs = 1_500;

/** @param module Module of the processes. It admits the statement that lists the state of the engine. */
export async function createWatchedUsers(module: URL): Promise<WatchedUsers> {
  const [outside, dataDir] = [await temporaryDirectory(), await temporaryDirectory()];
  const workDirectory = join(dataDir, "work");
  await mkdir(workDirectory);
  const around = await furnish(outside, dataDir);
  const places: Places = { ...around, result: join(around.run, "out", "result.parquet") };
  const limits = { ...statementLimits, ...sizes };
  const executor = createProcessExecutor(module, { ...limits, workDirectory, warmProcesses: 1, threads: 2 });
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const databases = [{ name: "own", path: places.own }];
  const execute = (user: string, sql: string, signal: AbortSignal) =>
    executor.execute({ sql, parameters: null, owner: user, revision: "1", databases }, sizesOfResult, signal);
  const first = await execute("before", "select 1", new AbortController().signal);
  await first.release();
  const before = await contents(outside, dataDir); // with the empty database, which the first process has created

  async function find(user: string): Promise<Finding> {
    const { path = "", release } = await execute(user, engineState, new AbortController().signal);
    const directory = dirname(dirname(path));
    const inside = (await processesInside(workDirectory)).find((each) => each.directory === directory);
    const rows = (await connection.runAndReadAll(`from read_parquet('${path}')`)).getRows();
    const files = (await readdir(directory, { recursive: true })).filter((name) => name !== emptyDatabase).sort();
    await release();
    return {
      process: inside === undefined ? directory : `${inside.pid} since ${inside.startedAt}`,
      state: rows.map(([row]) => withSortedPaths(String(row).replaceAll(directory, "<directory>"))),
      files,
    };
  }

  return {
    places,
    async after(user, ...statements) {
      for (const sql of statements)
        await execute(user, sql, AbortSignal.timeout(timeoutMs)).then(
          ({ release }) => release(),
          () => {}, // it was refused, or failed
        );
      return find(user);
    },
    async expectNothingChanged() {
      expect(await contents(outside, dataDir)).toEqual(before);
    },
    async [Symbol.asyncDispose]() {
      await executor.close();
      connection.closeSync();
      instance.closeSync();
      for (const folder of [outside, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}

const sizesOfResult = { maxResultBytes: sizes.maxResultBytes, maxResultRows: 1e9 };

/** Sorts the paths that statements may access: the engine lists them in an order that depends on the directory. */
function withSortedPaths(row: string): string {
  const [, start, paths] = /^(setting allowed_paths=)\[(.*)\]$/s.exec(row) ?? [];
  return paths === undefined ? row : `${start}[${paths.split(", ").sort().join(", ")}]`;
}
