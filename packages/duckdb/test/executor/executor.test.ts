import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { createProcessExecutor, type DuckDBExecutorOptions, type Executor } from "../../src/executor/executor.ts";
import { sourceKindOf } from "../../src/source-kind.ts";
import { statementLimits } from "./statement-limits.ts";

// The built package is used, because its processes start faster than from sources.
const module = new URL("../../dist/executor/worker.js", import.meta.url);
const statement = {
  sql: "select range as n from range(3)",
  parameters: null,
  databases: [],
  owner: "ann",
  revision: "1",
};
const never = new AbortController().signal;
const caps = { maxResultBytes: 1e9, maxResultRows: 1e9 };

let executor: Executor;
let workDirectory: string;
async function open(options: Partial<DuckDBExecutorOptions> = {}): Promise<void> {
  workDirectory = await temporaryDirectory();
  executor = createProcessExecutor(module, { workDirectory, ...statementLimits, ...options });
}
afterEach(() => executor.close());

/** Returns the names of the directories of processes. */
const directories = async () => (await readdir(workDirectory)).filter((name) => name.startsWith("worker-"));

it("writes a result, and leaves nothing once it is released", async () => {
  await open({ isolation: "run" });
  const written = await executor.execute(statement, caps, never);
  expect(written).toMatchObject({ rowCount: 3, columns: [{ name: "n", kind: "number", engineType: "BIGINT" }] });
  const [directory = ""] = await directories();
  await written.release();
  await eventually(async () => !(await directories()).includes(directory));
  await executor.close();
  expect(await directories()).toEqual([]);
});

it("removes directories of ended processes, and none of a live one", async () => {
  await open({ isolation: "run" });
  const written = await executor.execute(statement, caps, never);
  const left = join(workDirectory, `worker-${process.pid}-of-before`);
  await mkdir(left);
  await (await executor.execute(statement, caps, never)).release();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(written.path ?? "")).toBe(true);
  await written.release();
});

it("kills the process of a statement that ignores the interrupt, after the grace time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await open();
  const controller = new AbortController();
  // The engine checks for interrupts between two vectors of values; this one value takes an hour.
  const sql = "select levenshtein(repeat('a', 1000000), repeat('b', 1000000)) as n";
  const call = executor.execute({ ...statement, sql }, caps, controller.signal);
  const run = async () => (await executor.execute(statement, caps, never)).release();
  let hasEnded = false;
  const ended = call.catch((reason: unknown) => {
    hasEnded = true;
    return reason;
  });
  for (let later = 0; later < 3; later += 1) await run(); // in later processes, so that the first one computes by now
  controller.abort("enough");
  vi.advanceTimersByTime(1_999);
  await run();
  expect(hasEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await ended).toBe("enough");
  // The process of the other statements, and one for a first statement of another user.
  expect(await directories()).toHaveLength(2);
});

it("leaves nothing after a release before the result is complete", async () => {
  await open();
  const kind = sourceKindOf(executor, join(workDirectory, "links"));
  const source = { name: "none", provider: "test", kind: "duckdb", path: null, lowerCaseColumns: false };
  const run = { runId: "run_a", attempt: 1, tenantId: "t", userId: "u", traceparent: undefined };
  const data = await kind.hold(source);
  const limits = { ...caps, timeoutSeconds: 60 };
  const execution = await kind.begin({ ...statement, ...run, source, data, limits }, never);
  await execution.release();
  await expect(execution.result()).rejects.toThrow("the statement was released");
  // Only the process that waits for the next statement is left.
  expect(await directories()).toHaveLength(1);
});

it("does not use a waiting process that has ended", async () => {
  await open();
  await (await executor.execute(statement, caps, never)).release();
  await eventually(async () => (await directories()).length > 0);
  for (const pid of childPids()) process.kill(pid, "SIGKILL");
  await eventually(() => childPids().length === 0);
  await (await executor.execute(statement, caps, never)).release();
});

it.each(["user", "instance", "run"] as const)(
  "shows a statement nothing of the one before, isolated by %s",
  async (isolation) => {
    await open({ isolation });
    const run = async (sql: string) => executor.execute({ ...statement, sql }, caps, never);
    await (await run("select 1 as a")).release();
    await expect(run("select * from result")).rejects.toMatchObject({ failure: { name: "CatalogError" } });
  },
);

it("throws the reason of the signal after an abort", async () => {
  await open();
  const controller = new AbortController();
  const call = executor.execute(
    { ...statement, sql: "select count(*) from range(1000000000) a, range(1000000000) b where a.range <> b.range" },
    caps,
    controller.signal,
  );
  call.catch(() => {}); // awaited below
  await (await executor.execute(statement, caps, never)).release(); // the first one computes by now
  controller.abort("enough");
  await expect(call).rejects.toBe("enough");
  await expect(executor.execute(statement, caps, AbortSignal.abort("before"))).rejects.toBe("before");
});

/** Returns the child processes of this process from the kernel. */
function childPids(): number[] {
  const list = `/proc/${process.pid}/task/${process.pid}/children`;
  return existsSync(list) ? readFileSync(list, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}

it.each(Object.keys(statementLimits))("starts no process without the limit %s", async (name) => {
  await open();
  const limits = { ...statementLimits, [name]: undefined } as unknown as typeof statementLimits; // as a caller without types could call it
  expect(() => createProcessExecutor(module, { workDirectory, ...limits })).toThrow(
    `Invalid limit ${name}: expected a number above 0, got undefined.`,
  );
});
