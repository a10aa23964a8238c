import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, expect, it, vi } from "vitest";
import { withAdaptiveThreads } from "../../src/executor/engine-threads.ts";

const large = "select count(*) from range(30000000) t(n) where hash(n) % 7 = 1";

afterEach(() => void vi.restoreAllMocks());

/** Engine that starts with one thread of two, and the attempts of a statement with their numbers of threads. */
async function engine() {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", errors_as_json: "true" });
  const connection = await instance.connect();
  let count = 1;
  const threads = {
    get hasMore() {
      return count === 1;
    },
    useAll: vi.fn(async () => {
      await connection.run("SET threads = 2");
      count = 2;
    }),
  };
  const attempts: number[] = [];
  const perform = (sql: string) =>
    withAdaptiveThreads({ connection, threads }, async () => {
      attempts.push(count);
      return (await connection.runAndReadAll(sql)).getRows();
    });
  return { connection, threads, attempts, perform };
}

it("runs a small statement on one thread", async () => {
  const { attempts, perform } = await engine();
  expect(await perform("select 42")).toEqual([[42]]);
  expect(attempts).toEqual([1]);
});

it("interrupts a large statement, and runs it again on all threads", async () => {
  const { threads, attempts, perform } = await engine();
  expect(await perform(large)).toEqual([[expect.any(BigInt)]]);
  expect([attempts, threads.useAll.mock.calls.length]).toEqual([[1, 2], 1]);
  await perform(large);
  expect(attempts).toEqual([1, 2, 2]);
});

it.each([
  ["20 ms before it is half done", 20_000, 49, [1]],
  ["more than 20 ms before it is half done", 20_001, 49, [1, 2]],
  ["more than 20 ms without a known progress", 20_001, -1, [1, 2]],
  ["100 ms when it is half done", 100_000, 50, [1]],
  ["more than 100 ms when it is half done", 100_001, 99, [1, 2]],
])("of a statement that has used %s", async (_, microseconds, percentage, expected) => {
  const { connection, attempts, perform } = await engine();
  vi.spyOn(process, "cpuUsage").mockReturnValue({ user: microseconds, system: 0 });
  vi.spyOn(connection, "progress", "get").mockReturnValue({
    percentage,
    rows_processed: 1n,
    total_rows_to_process: 2n,
  });
  await perform(large);
  expect(attempts).toEqual(expected);
});

it("throws other errors, and an interrupt by someone else", async () => {
  const { connection, attempts, perform } = await engine();
  await expect(perform("select error('a fault')")).rejects.toThrow("a fault");
  vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 1, system: 1 });
  const interrupted = perform(large);
  setTimeout(() => connection.interrupt(), 50);
  await expect(interrupted).rejects.toThrow("INTERRUPT");
  expect(attempts).toEqual([1, 1]);
});

it("leaves no transaction of the interrupted attempt", async () => {
  const { connection, attempts, perform } = await engine();
  await connection.run("BEGIN");
  await connection.run("CREATE TABLE t (n INTEGER)");
  await perform(large);
  expect(attempts).toEqual([1, 2]);
  await expect(connection.run("FROM t")).rejects.toThrow("t does not exist");
});
