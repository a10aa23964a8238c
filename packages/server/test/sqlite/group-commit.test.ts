import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { type Commits, createCommits } from "../../src/sqlite/group-commit.ts";
import { noFlush } from "../../src/sqlite/log-flush.ts";
import { temporaryDirectory } from "../fixture.ts";

let database: DatabaseSync;
let commits: Commits;
beforeEach(() => {
  database = openDatabase(":memory:");
  database.exec("CREATE TABLE words (word TEXT)");
  commits = createCommits(database, noFlush);
});
afterEach(() => database.close());

const add = (word: string) => () => database.prepare("INSERT INTO words VALUES (?)").run(word);
const words = () =>
  database
    .prepare("SELECT word FROM words")
    .all()
    .map(({ word }) => word);

it("makes the changes of one event loop iteration in order, and returns each outcome", async () => {
  const outcomes = await Promise.all([
    commits.change(() => add("one")().changes),
    commits.change(() => words().length),
    commits.change(add("two")),
  ]);
  expect(outcomes.slice(0, 2)).toEqual([1, 1]);
  expect(words()).toEqual(["one", "two"]);
});

it("begins after the iteration, so that no reader sees half a change", async () => {
  const change = commits.change(add("one"));
  expect(words()).toEqual([]);
  await change;
  expect(words()).toEqual(["one"]);
});

it("takes back a change that throws, and no other", async () => {
  const failing = commits.change(() => {
    add("half")();
    throw new Error("no");
  });
  const outcomes = await Promise.allSettled([commits.change(add("one")), failing, commits.change(add("two"))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(words()).toEqual(["one", "two"]);
});

it("rejects each change after SQLite has rolled back by itself, and continues", async () => {
  database.exec("PRAGMA max_page_count = 40");
  const fill = () => {
    for (let row = 0; row < 100; row += 1) add("x".repeat(4_000))();
  };
  const outcomes = await Promise.allSettled([commits.change(add("one")), commits.change(fill)]);
  const full = { status: "rejected", reason: { message: "database or disk is full" } };
  expect(outcomes).toMatchObject([full, full]);
  expect(words()).toEqual([]);
  await commits.change(add("two"));
  expect(words()).toEqual(["two"]);
});

it("retries the whole group at once each time that space is freed on a full disk", async () => {
  let pages = 40;
  const setPages = (): void => database.exec(`PRAGMA max_page_count = ${pages}`);
  setPages();
  let freed = 0;
  const roomy = createCommits(database, noFlush, () => {
    freed += 1;
    pages += 60;
    setPages();
    return freed < 9;
  });
  const fill = () => {
    for (let row = 0; row < 150; row += 1) add("x".repeat(4_000))();
  };
  await Promise.all([roomy.change(add("one")), roomy.change(fill), roomy.change(add("two"))]);
  expect(freed).toBeGreaterThan(1);
  expect(words().filter((word) => String(word).length === 3)).toEqual(["one", "two"]);
  expect(words()).toHaveLength(152);
});

it("waits for another process without holding up its own, and gives up in the end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(await temporaryDirectory(), "test.db");
  const other = openDatabase(path);
  const own = openDatabase(path, 0);
  const changes = createCommits(own, noFlush);
  const use = (id: string) =>
    changes.change(() => own.prepare("UPDATE keys SET last_used_at = 1 WHERE id = ?").run(id));
  const outcomes: unknown[] = [];
  const ask = () =>
    use("key").then(
      () => outcomes.push("kept"),
      (error: unknown) => outcomes.push(String(error)),
    );
  const pass = async (pauses: number) => {
    for (let pause = 0; pause < pauses; pause += 1) {
      await new Promise(setImmediate);
      vi.advanceTimersByTime(100);
    }
    await new Promise(setImmediate);
  };

  other.exec("BEGIN IMMEDIATE");
  void ask();
  await pass(3);
  void ask();
  expect(outcomes).toEqual([]);
  other.exec("ROLLBACK");
  await pass(1);
  expect(outcomes).toEqual(["kept", "kept"]);

  other.exec("BEGIN IMMEDIATE");
  void ask();
  await pass(48);
  expect(outcomes).toHaveLength(2);
  await pass(2);
  expect(outcomes[2]).toContain("database is locked");
});

it.each([
  [
    true,
    [1, 2],
    "BEGIN IMMEDIATE,BEGIN IMMEDIATE,SAVEPOINT change,RELEASE change,SAVEPOINT change,RELEASE change,COMMIT",
  ],
  [false, ["full", "full"], "BEGIN IMMEDIATE"],
])("begins a group again on a full disk only if space was freed: %s", async (isFreed, expected, texts) => {
  const executed: string[] = [];
  const full = Object.assign(new Error("full"), { errcode: 13 });
  const fake = {
    exec(text: string) {
      executed.push(text);
      if (executed.length === 1) throw full;
    },
  } as unknown as DatabaseSync;
  const freeSpace = vi.fn(() => isFreed);
  const changes = createCommits(fake, noFlush, freeSpace);
  const outcomes = await Promise.all([1, 2].map((n) => changes.change(() => n).catch((error: Error) => error.message)));
  expect([outcomes, executed.join()]).toEqual([expected, texts]);
  expect(freeSpace).toHaveBeenCalledTimes(1);
});

it("makes later changes after a group that could not begin, and not that group", async () => {
  let isBroken = true;
  const exec = () => {
    if (isBroken) throw new Error("disk I/O error");
  };
  const changes = createCommits({ exec } as unknown as DatabaseSync, noFlush);
  const work = vi.fn(() => 7);
  await expect(changes.change(work)).rejects.toThrow("disk I/O error");
  isBroken = false;
  expect(await changes.change(work)).toBe(7);
  expect(work).toHaveBeenCalledOnce();
});

it("tries fifty times to begin while another process has the lock", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const exec = vi.fn(() => {
    throw Object.assign(new Error("locked"), { errcode: 5 });
  });
  const outcome = createCommits({ exec } as unknown as DatabaseSync, noFlush)
    .change(() => 1)
    .catch((error: Error) => error.message);
  await new Promise(setImmediate);
  vi.advanceTimersByTime(48 * 100 + 99);
  expect(exec).toHaveBeenCalledTimes(49);
  vi.advanceTimersByTime(1);
  expect([await outcome, exec.mock.calls.length, vi.getTimerCount()]).toEqual(["locked", 50, 0]);
});

it.each([
  ["change", ["COMMIT", "flush"]],
  ["changeUnflushed", ["RELEASE change", "COMMIT"]],
] as const)("flushes the log after the commit of a %s: %j", async (name, last) => {
  const order: string[] = [];
  const fake = { exec: (text: string) => void order.push(text) } as unknown as DatabaseSync;
  const flush = { ...noFlush, flushed: async () => void order.push("flush") };
  expect(await createCommits(fake, flush)[name](() => 7)).toBe(7);
  expect(order.slice(-2)).toEqual(last);
});

it("rejects changes after the database is closed", async () => {
  const other = openDatabase(":memory:");
  const late = createCommits(other, noFlush);
  const change = late.change(() => 1);
  other.close();
  await expect(change).rejects.toThrow("database is not open");
});
