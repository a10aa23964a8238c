import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Executor, Source } from "@quern/adapter";
import { createDuckDBExecutor } from "@quern/duckdb";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";

const source: Source = { name: "none", provider: "test", path: null, lowerCaseColumns: false };
const statement = { sql: "select range as n from range(3)", parameters: null, source, databases: [] };
const never = new AbortController().signal;
const nothing = async (): Promise<void> => {};

let executor: Executor;
let workDirectory: string;
async function open(): Promise<void> {
  workDirectory = await temporaryDirectory();
  executor = createDuckDBExecutor({ workDirectory });
}
afterEach(() => executor.close());

it("writes a result, and leaves nothing once it is released", async () => {
  await open();
  const written = await executor.execute(statement, never, nothing);
  expect(written).toMatchObject({ rowCount: 3, columns: [{ name: "n", kind: "number", engineType: "BIGINT" }] });
  const [directory = ""] = await readdir(workDirectory);
  await written.release();
  await eventually(async () => !(await readdir(workDirectory)).includes(directory));
  await executor.close();
  expect(await readdir(workDirectory)).toEqual([]);
});

it("removes what a process left behind before, and nothing of one that works", async () => {
  await open();
  const written = await executor.execute(statement, never, nothing);
  const left = join(workDirectory, `worker-${process.pid}-of-before`);
  await mkdir(left);
  await (await executor.execute(statement, never, nothing)).release();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(written.path)).toBe(true);
  await written.release();
});

it("kills the process of a statement that does not heed the interrupt, after its grace", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await open();
  const controller = new AbortController();
  // The engine looks up between two vectors of values; this one value takes an hour.
  const sql = "select levenshtein(repeat('a', 1000000), repeat('b', 1000000)) as n";
  const call = executor.execute({ ...statement, sql }, controller.signal, nothing);
  const run = async () => (await executor.execute(statement, never, nothing)).release();
  let hasEnded = false;
  const ended = call.catch((reason: unknown) => {
    hasEnded = true;
    return reason;
  });
  for (let later = 0; later < 3; later += 1) await run(); // in processes that began later: by now the other one computes
  controller.abort("enough");
  vi.advanceTimersByTime(1_999);
  await run();
  expect(hasEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await ended).toBe("enough");
  // The process that waits for the next statement.
  expect(await readdir(workDirectory)).toHaveLength(1);
});

it("leaves nothing when the result was not wanted after all", async () => {
  await open();
  const full = async (): Promise<void> => {
    throw new Error("the store is full");
  };
  await expect(executor.execute(statement, never, full)).rejects.toThrow("the store is full");
  // What is left is the process that waits for the next statement.
  expect(await readdir(workDirectory)).toHaveLength(1);
});

it("does not use a process that died while it waited", async () => {
  await open();
  await (await executor.execute(statement, never, nothing)).release();
  await eventually(async () => (await readdir(workDirectory)).length > 0);
  for (const pid of childPids()) process.kill(pid, "SIGKILL");
  await eventually(() => childPids().length === 0);
  await (await executor.execute(statement, never, nothing)).release();
});

it("gives every statement an engine of its own", async () => {
  await open();
  const run = async (sql: string) => executor.execute({ ...statement, sql }, never, nothing);
  await (await run("select 1 as a")).release();
  await expect(run("select * from result")).rejects.toMatchObject({ failure: { name: "CatalogError" } });
});

it("throws the reason when the caller has given up", async () => {
  await open();
  const controller = new AbortController();
  const call = executor.execute(
    { ...statement, sql: "select count(*) from range(1000000000) a, range(1000000000) b where a.range <> b.range" },
    controller.signal,
    nothing,
  );
  call.catch(() => {}); // it is awaited below
  await (await executor.execute(statement, never, nothing)).release(); // by now the other one computes
  controller.abort("enough");
  await expect(call).rejects.toBe("enough");
  await expect(executor.execute(statement, AbortSignal.abort("before"), nothing)).rejects.toBe("before");
});

/** The child processes of this one, as the kernel lists them. */
function childPids(): number[] {
  const list = `/proc/${process.pid}/task/${process.pid}/children`;
  return existsSync(list) ? readFileSync(list, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}
