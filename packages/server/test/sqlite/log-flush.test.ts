import fs from "node:fs";
import { symlink } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { submission } from "@quern/adapter/contract";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { createCommits } from "../../src/sqlite/group-commit.ts";
import { createLogFlush, type LogFlush } from "../../src/sqlite/log-flush.ts";
import { afterFlush, createDirectReader } from "../../src/sqlite/reader.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { openFilesIn, temporaryDirectory } from "../fixture.ts";

interface Disk {
  readonly path: string;
  readonly flush: LogFlush;
  readonly database: DatabaseSync;
  /** Flushes that have begun, each with the function that ends it. */
  readonly begun: { end(error?: Error): void }[];
}

/** Opens a database whose flushes end when the test says so. */
async function disk(): Promise<Disk> {
  const path = join(await temporaryDirectory(), "test.db");
  const database = openDatabase(path);
  const begun: Disk["begun"] = [];
  const flush = createLogFlush(
    database,
    () => new Promise((resolve, reject) => begun.push({ end: (error) => (error ? reject(error) : resolve()) })),
  );
  onTestFinished(() => database.close());
  return { path, flush, database, begun };
}

/** Follows a promise. Returns a function that tells its outcome. */
function follow(promise: Promise<unknown>): () => string {
  let outcome = "waits";
  promise.then(
    () => {
      outcome = "resolved";
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  return () => outcome;
}

/** Replaces `fdatasync` until the end of the test. @param flush is given the file and a function that flushes it */
function replaceSync(flush: (file: number, sync: (error?: Error) => void) => void): void {
  const { fdatasync } = fs;
  fs.fdatasync = ((file: number, done: (error: Error | null) => void) =>
    flush(file, (error) => (error ? done(error) : fdatasync(file, done)))) as typeof fs.fdatasync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  });
}

/** Lets all promises that can go on do so. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

it("flushes once for all commits before it begins, and once for all during a flush", async () => {
  const { flush, begun } = await disk();
  const first = [follow(flush.flushed()), follow(flush.flushed())];
  await pause();
  const later = [follow(flush.flushed()), follow(flush.flushed())];
  await pause();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await pause();
  expect([...first, ...later].map((outcome) => outcome())).toEqual(["resolved", "resolved", "waits", "waits"]);
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  await pause();
  expect(later.map((outcome) => outcome())).toEqual(["resolved", "resolved"]);
  expect(begun).toHaveLength(2);
});

it("fails for all later commits after a failed flush, since the log can have a gap", async () => {
  const { flush, begun } = await disk();
  const first = follow(flush.flushed());
  await pause();
  const during = follow(flush.flushed());
  begun[0]?.end(new Error("EIO"));
  await pause();
  const after = follow(flush.flushed());
  await pause();
  const failed = "The store could not be flushed to the disk; check the disk, then restart.";
  expect([first(), during(), after()]).toEqual([failed, failed, failed]);
  expect(begun).toHaveLength(1);
  expect(flush.failure).toMatchObject({ name: "UnavailableError", message: failed, cause: { message: "EIO" } });
  await expect(flush.idle()).rejects.toThrow(failed);
});

it("is idle when no commit waits for a flush", async () => {
  const { flush, begun } = await disk();
  await flush.idle();
  const flushed = flush.flushed();
  await pause();
  const next = flush.flushed();
  const idle = follow(flush.idle());
  begun[0]?.end();
  await flushed;
  await pause();
  expect(idle()).toBe("waits");
  begun[1]?.end();
  await next;
  await pause();
  expect(idle()).toBe("resolved");
});

it("closes after the flushes in progress, also one that is asked for meanwhile", async () => {
  const { flush, begun } = await disk();
  const first = flush.flushed();
  await pause();
  const closed = follow(flush.close());
  const second = flush.flushed();
  await pause();
  expect(closed()).toBe("waits");
  begun[0]?.end();
  await first;
  await pause();
  expect(closed()).toBe("waits");
  begun[1]?.end();
  await second;
  await pause();
  expect(closed()).toBe("resolved");
});

it("keeps the log open until it is closed", async () => {
  const { path, flush } = await disk();
  const folder = dirname(path);
  expect((await openFilesIn(folder)).filter((name) => name === "test.db-wal")).toHaveLength(2); // and the database's own
  await flush.close();
  expect((await openFilesIn(folder)).filter((name) => name === "test.db-wal")).toHaveLength(1);
});

it("delays a durable change until the flush, and not the others", async () => {
  const { database, flush, begun } = await disk();
  const commits = createCommits(database, flush);
  const early = follow(commits.changeUnflushed(() => 1));
  await pause();
  await pause();
  expect([early(), begun.length]).toEqual(["resolved", 0]);
  const durable = follow(commits.change(() => 1));
  await pause();
  await pause();
  expect([durable(), begun.length]).toEqual(["waits", 1]);
  begun[0]?.end();
  await pause();
  expect(durable()).toBe("resolved");
});

it("follows 100 ms after a change that nobody waits for, once for several, unless another one comes first", async () => {
  const { database, flush, begun } = await disk();
  const commits = createCommits(database, flush);
  const later = () => new Promise((resolve) => setTimeout(resolve, 150));
  await commits.changeUnflushed(() => 1);
  await commits.changeUnflushed(() => 1);
  expect(begun).toHaveLength(0);
  await later();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await commits.changeUnflushed(() => 1);
  const durable = commits.change(() => 1);
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  begun[1]?.end();
  await durable;
  await later();
  expect(begun).toHaveLength(2);
});

it("that fails is the last one: no later change is made", async () => {
  const { database, flush, begun } = await disk();
  const commits = createCommits(database, flush);
  const failing = commits.change(() => 1);
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  begun[0]?.end(new Error("EIO"));
  await expect(failing).rejects.toThrow("could not be flushed");
  const work = vi.fn();
  await expect(commits.change(work)).rejects.toThrow("could not be flushed");
  await expect(commits.changeUnflushed(work)).rejects.toThrow("could not be flushed");
  expect(work).not.toHaveBeenCalled();
});

it("reaches the log beside the target of a symbolic link", async () => {
  const { path } = await disk();
  const link = join(await temporaryDirectory(), "linked.db");
  await symlink(path, link);
  const store = openSqliteStore(link);
  await store.settings.set("name", "text");
  await store.close();
});

it("ends before a list or a count is returned", async () => {
  const { database, flush, begun } = await disk();
  const reader = afterFlush(createDirectReader(database), flush);
  await expect(reader.read("", "usage", undefined)).resolves.toEqual([]);
  const flushed = flush.flushed();
  const read = follow(reader.read("", "usage", undefined));
  await pause();
  expect(read()).toBe("waits");
  begun[0]?.end();
  await flushed;
  await pause();
  expect(read()).toBe("resolved");
});

it("of a store ends before a submission is acknowledged, or read; a claim does not wait", async () => {
  const path = join(await temporaryDirectory(), "quern.db");
  const flushed: number[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  replaceSync((file, sync) => {
    flushed.push(fs.fstatSync(file).ino);
    void held.then(() => sync());
  });
  const store = openSqliteStore(path);
  const asked = submission();
  const submitted = follow(store.runs.submit(asked));
  const claimed = await store.runs.claim({ owner: "server", ms: 60_000 });
  expect(claimed?.run.id).toBe(asked.run.id);
  const read = follow(store.runs.run(asked.run.id));
  await pause();
  expect([submitted(), read()]).toEqual(["waits", "waits"]);
  expect(flushed).toEqual([fs.statSync(`${path}-wal`).ino]);
  release();
  await vi.waitFor(() => expect(submitted()).toBe("resolved"));
  await vi.waitFor(() => expect(read()).toBe("resolved"));
  await store.close();
});

it("of a store fails with an UnavailableError, and the store is not ready any more", async () => {
  replaceSync((_, sync) => sync(new Error("EIO")));
  const store = openSqliteStore(join(await temporaryDirectory(), "quern.db"));
  await expect(store.now()).resolves.toBeTypeOf("number");
  await expect(store.runs.submit(submission())).rejects.toMatchObject({ name: "UnavailableError" });
  await expect(store.now()).rejects.toMatchObject({ name: "UnavailableError" });
  await expect(store.runs.run("run")).rejects.toMatchObject({ name: "UnavailableError" });
  await store.close();
});

it("is needed, since a commit itself does not wait for the disk", async () => {
  const { database } = await disk();
  expect(database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 1 });
});
