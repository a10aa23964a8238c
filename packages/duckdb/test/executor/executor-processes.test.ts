import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os, { availableParallelism } from "node:os";
import { join } from "node:path";
import { EngineLostError, StatementError } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import type { DuckDBExecutorOptions, Executor } from "../../src/executor/executor.ts";
import type { Child, ChildOptions } from "../../src/processes/child.ts";
import { fakeChild } from "../processes/fake-child.ts";
import { statementLimits } from "./statement-limits.ts";

type Answer = (argument: unknown, options: ChildOptions, signal: AbortSignal | undefined) => unknown;

let started: { readonly child: Child; readonly options: ChildOptions }[];
let calls: [process: number, task: string, argument: unknown][];
let answers: Record<string, Answer>;
vi.mock("../../src/processes/child.ts", async (load) => ({
  ...(await load<object>()),
  startChild(options: ChildOptions): Child {
    const number = started.length + 1;
    const child = fakeChild({
      async call(task, argument, signal, onProgress) {
        calls.push([number, task, argument]);
        onProgress?.(0.5);
        return answers[task]?.(argument, options, signal);
      },
    });
    started.push({ child, options });
    return child;
  },
}));
// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { createProcessExecutor, createDuckDBExecutor } = await import("../../src/executor/executor.ts");

let work: string;
let executor: Executor;
beforeEach(async () => {
  work = await temporaryDirectory();
  started = [];
  calls = [];
  answers = {
    async execute(_, { directory }) {
      await mkdir(join(directory, "out"), { recursive: true });
      await writeFile(join(directory, "out/result.parquet"), "");
      return { columns: [], rowCount: 3 };
    },
    finish: () => ({ isClean: true, processorSeconds: 0 }),
  };
});
afterEach(async () => {
  await executor.close();
  await rm(work, { recursive: true });
});

const module = new URL("file:///worker.js");
function open(options: Partial<DuckDBExecutorOptions> = {}): void {
  executor = createProcessExecutor(module, { workDirectory: work, warmProcesses: 0, ...statementLimits, ...options });
}
const query = { sql: "select 1", parameters: null, owner: "ann", revision: "1", databases: [] };
const caps = { maxResultBytes: 1e9, maxResultRows: 7 };
const never = new AbortController().signal;
const failing = (category: "USER" | "DATA_SOURCE") =>
  new StatementError({ name: "E", message: "m", data: { category } });
/** Returns the processes of the calls of a task. */
const servedBy = (task: string) => calls.filter(([, each]) => each === task).map(([process]) => process);

it("limits a process to the memory, time and files of one statement, with a margin", async () => {
  const memory = { maxBytes: 1, add: () => () => {} };
  const limits = { memoryMegabytes: 2_000, spillMegabytes: 3_000, maxResultBytes: 500, statementTimeoutSeconds: 0.1 };
  open({ ...limits, threads: 3, priority: "low", memory });
  await executor.describe(query, never);
  expect(started.map(({ options }) => options)).toEqual([
    {
      module,
      directory: join(work, `worker-${process.pid}-1`),
      kind: "statement",
      userId: undefined,
      memory,
      priority: "low",
      maxMemoryBytes: 3_000_000_000,
      maxProcessorSeconds: 2 * 241,
      maxFileBytes: 3_100_000_000,
      maxDirectoryBytes: 3_100_000_500,
    },
  ]);
  const engine = { threads: 3, memoryMegabytes: 2_000, spillMegabytes: 3_000, isolation: "user" };
  const directory = join(work, `worker-${process.pid}-1`);
  expect(calls[0]).toEqual([1, "open", { ...engine, directory, emptyDatabase: undefined }]);
});

it("has a file limit above the largest result, and defaults for threads and priority", async () => {
  open({ spillMegabytes: 1, maxResultBytes: 5_000_000 });
  await executor.describe(query, never);
  expect(started[0]?.options).toMatchObject({ maxFileBytes: 105_000_000, priority: "normal", memory: undefined });
  expect(calls[0]?.[2]).toMatchObject({ threads: Math.min(availableParallelism(), 4), isolation: "user" });
});

it("starts its own module, and one process before the first statement, by default", async () => {
  executor = createDuckDBExecutor({ workDirectory: work, ...statementLimits });
  await eventually(() => started.length === 1);
  expect(started[0]?.options.module.pathname).toMatch(/\/executor\/worker\.(?:ts|js)$/);
});

it("passes each task with its arguments, and returns the answer", async () => {
  open({ maxResultBytes: 1_000 });
  const databases = [{ name: "shop", path: "/shop.duckdb" }];
  const data = { ...query, databases };
  for (const task of ["objects", "describe", "tables", "complete"]) answers[task] = () => `answer to ${task}`;
  expect(await executor.describe(data, never)).toBe("answer to describe");
  expect(await executor.tables(data, never)).toBe("answer to tables");
  expect(await executor.complete(data, 4, never)).toBe("answer to complete");
  const reported: number[] = [];
  const first = await executor.execute(data, caps, never, (share) => reported.push(share));
  expect(first).toMatchObject({
    columns: [],
    rowCount: 3,
    path: expect.stringMatching(/-1\/shared\/result\.parquet\.taken$/),
  });
  await first.release();
  await (await executor.execute({ ...data, parameters: [5] }, { ...caps, maxResultBytes: 8 }, never)).release();
  expect(reported).toEqual([0.5]);
  expect(existsSync(first.path ?? "")).toBe(false);
  const { sql } = query;
  const source = { databases, objects: "answer to objects" };
  const limits = { sql, parameters: null, maxResultRows: 7, maxResultBytes: 1_000, maxSmallResultBytes: 0, ...source };
  const finish = [1, "finish", undefined];
  expect(calls.slice(1)).toEqual([
    [1, "objects", { databases }],
    [1, "describe", { sql, ...source }],
    finish,
    [1, "tables", source],
    finish,
    [1, "complete", { sql, position: 4, ...source }],
    finish,
    [1, "execute", limits],
    finish,
    [1, "execute", { ...limits, parameters: [5], maxResultBytes: 8 }],
    finish,
  ]);
});

it("uses no process for another task until its result is released", async () => {
  open();
  const written = await executor.execute(query, caps, never);
  await executor.describe(query, never);
  expect([servedBy("execute"), servedBy("describe"), servedBy("finish")]).toEqual([[1], [2], [1, 2]]);
  await written.release();
  await executor.describe(query, never);
  expect([servedBy("describe"), servedBy("finish")]).toEqual([
    [2, 1],
    [1, 2, 1],
  ]);
});

it("prepares a process for its next task while the result waits to be released, unless each task has its own", async () => {
  for (const isolation of ["user", "run"] as const) {
    open({ isolation });
    const written = await executor.execute(query, caps, never);
    expect(servedBy("finish")).toEqual([1]); // of the first isolation
    expect(existsSync(written.path ?? "")).toBe(true);
    await written.release();
  }
});

it.each<[string, Answer, number]>([
  ["is clean", () => ({ isClean: true, processorSeconds: 121 }), 1],
  ["is not clean", () => ({ isClean: false, processorSeconds: 0 }), 2],
  ["has used the time of a statement", () => ({ isClean: true, processorSeconds: 122 }), 2],
  ["does not answer", () => Promise.reject(new Error("lost")), 2],
])("keeps a process only if it can serve again: it %s", async (_, finish, next) => {
  open({ statementTimeoutSeconds: 1, threads: 1 });
  answers.finish = finish;
  for (let time = 0; time < 2; time += 1) await executor.describe(query, never);
  expect(servedBy("describe")).toEqual([1, next]);
});

it("gives a process 5 seconds to clean up", async () => {
  open();
  const timer = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  const signals: (AbortSignal | undefined)[] = [];
  answers.finish = (_argument, _options, signal) => {
    signals.push(signal);
    return { isClean: true, processorSeconds: 0 };
  };
  await executor.describe(query, never);
  const limit = timer.mock.results[timer.mock.calls.findIndex(([, ms]) => ms === 5_000)]?.value;
  expect(limit).toBeDefined();
  expect(cleared).toHaveBeenCalledWith(limit);
  expect(signals).toEqual([expect.any(AbortSignal)]);
  vi.restoreAllMocks();
});

it("ends each process after its task if nothing is shared", async () => {
  open({ isolation: "run" });
  for (let time = 0; time < 2; time += 1) await executor.describe(query, never);
  expect([servedBy("describe"), servedBy("finish")]).toEqual([[1, 2], []]);
});

it.each<[string, Error, number]>([
  ["keeps", failing("USER"), 1],
  ["does not keep", failing("DATA_SOURCE"), 2],
  ["does not keep", new EngineLostError("it crashed"), 2],
])("%s a process after a failure: %s", async (_, error, next) => {
  open();
  answers.describe = () => Promise.reject(error);
  for (let time = 0; time < 2; time += 1) await expect(executor.describe(query, never)).rejects.toBe(error);
  expect(servedBy("describe")).toEqual([1, next]);
});

it("throws the reason of an abort, and does not keep the process", async () => {
  open();
  const caller = new AbortController();
  answers.describe = () => {
    caller.abort("gone");
    throw failing("USER");
  };
  await expect(executor.describe(query, caller.signal)).rejects.toBe("gone");
  expect(servedBy("finish")).toEqual([]);
  await expect(executor.describe(query, caller.signal)).rejects.toBe("gone");
  expect(servedBy("describe")).toEqual([1]);
});

it("does not keep a process whose result is missing, and fails with the cause", async () => {
  open();
  const userIds = {
    lease: async () => ({ id: process.getgid?.() ?? 0, killProcesses: async () => true, release: async () => {} }),
  };
  await executor.close();
  open({ userIds });
  answers.execute = () => ({ columns: [], rowCount: 0 });
  await expect(executor.execute(query, caps, never)).rejects.toMatchObject({ code: "ENOENT" });
  expect([servedBy("finish"), started[0]?.child.hasEnded]).toEqual([[], true]);
});

it.each([
  [0.4, 1],
  [3, 6],
  [64, 32],
])("keeps as many idle processes as the memory of a machine with %d GB allows by default", async (gigabytes, most) => {
  vi.spyOn(os, "totalmem").mockReturnValue(gigabytes * 1e9);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  open({ maxIdleProcessesOfUser: 1_000 });
  for (let user = 0; user <= most; user += 1) await executor.describe({ ...query, owner: `user ${user}` }, never);
  expect(started.filter(({ child }) => !child.hasEnded)).toHaveLength(most);
});

it("keeps an idle process for its time and within the limit of its user", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  open({ maxIdleProcessesOfUser: 1, idleProcessSeconds: 2, maxIdleProcesses: 3 });
  const written = [await executor.execute(query, caps, never), await executor.execute(query, caps, never)];
  for (const { release } of written) await release();
  const live = () => started.flatMap(({ child }, index) => (child.hasEnded ? [] : [index + 1]));
  expect(live()).toEqual([2]);
  vi.advanceTimersByTime(1_999);
  expect(live()).toEqual([2]);
  vi.advanceTimersByTime(1);
  expect(live()).toEqual([]);
  vi.useRealTimers();
});

it("ends the processes that are in use when it is closed", async () => {
  open();
  const { promise, resolve } = Promise.withResolvers<void>();
  answers.describe = () => promise;
  const described = executor.describe(query, never).catch(() => {});
  const written = await executor.execute(query, caps, never);
  await eventually(() => servedBy("describe").length === 1);
  await executor.close();
  expect(started.map(({ child }) => child.hasEnded)).toEqual([true, true]);
  expect((await readdir(work)).filter((name) => name.startsWith("worker-"))).toEqual([]);
  resolve();
  await Promise.all([described, written.release()]);
});

it("fails with the error of a process that cannot be started, and closes", async () => {
  await rm(work, { recursive: true });
  await writeFile(work, "");
  open();
  await expect(executor.describe(query, never)).rejects.toMatchObject({ code: "ENOTDIR" });
  await executor.close();
});

it("uses a process for 500 statements", async () => {
  open();
  for (let time = 0; time < 501; time += 1) await executor.describe(query, never);
  expect([servedBy("describe").lastIndexOf(1), started.length]).toEqual([499, 2]);
});

it("uses a process for ten minutes", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  open();
  await executor.describe(query, never);
  for (const ms of [599_999, 1, 0]) {
    vi.advanceTimersByTime(ms);
    await executor.describe(query, never);
  }
  vi.useRealTimers();
  expect(servedBy("describe")).toEqual([1, 1, 1, 2]);
});
