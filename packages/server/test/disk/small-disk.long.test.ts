import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SourceKind } from "@quern/adapter";
import { createDuckDBSourceKind } from "@quern/duckdb";
import { expect } from "vitest";
import { limitDefaults } from "../../src/common/limits.ts";
import { createGate, eventually, startServer } from "../fixture.ts";
import { onSmallDisk } from "./small-disk.ts";

const gate = createGate();

/** Adapter on the small disk. Statements that name `held` wait at the gate. */
async function holdingKind(folder: string): Promise<SourceKind> {
  const workDirectory = join(folder, "engine");
  await mkdir(workDirectory);
  const inner: SourceKind = createDuckDBSourceKind({
    ...limitDefaults,
    workDirectory,
    linkDirectory: join(folder, "links"),
  });
  return {
    ...inner,
    async begin(statement, signal) {
      if (statement.sql.includes("held")) await gate.pass(signal);
      return inner.begin(statement, signal);
    },
  };
}

onSmallDisk(80, "reads, cancels and ends runs on a full disk, and goes on when there is room", async (disk) => {
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const limits = { maxRunningRuns: 2 };
  const kind = await holdingKind(disk.path);
  await using server = await startServer({ dataDir: join(disk.path, "data"), log, kind, limits });
  const done = await server.run("select 42 as n");
  const { queryRun: running } = await server.create({ sql: "select hash(range) as held from range(4000000)" });
  await server.create({ sql: "select 2 as held" });
  await eventually(() => gate.waiting === 2);
  // The end of a run writes its whole record.
  const parameters = [..."abcdefgh"].map((letter) => [letter.repeat(100_000)]);
  const created = await Promise.all(parameters.map((each) => server.create({ sql: "select ?", parameters: each })));
  const { queryRun: queued } = await server.create({ sql: "select 3 as n" });
  await disk.fill();

  const cancels = created.map(({ queryRun: { id } }) => ({ method: "cancelQueryRun", params: { queryRunId: id } }));
  const canceled = { queryRun: { state: "QUERY_STATE_CANCELED" } };
  expect(await server.batch(cancels)).toMatchObject(created.map(() => canceled));

  // The texts would need the space that is reserved for the end of runs.
  const texts = Array.from({ length: 20 }, (_, at) => `select ${at} /* ${"x".repeat(100_000)} */`);
  const refused = await Promise.allSettled(texts.map((sql) => server.create({ sql })));
  for (const outcome of refused) expect(outcome).toMatchObject({ status: "rejected", reason: { code: -32177 } });
  expect((await server.results({ queryRunId: done.id })).rows).toEqual([[42]]);
  expect(await server.get(queued.id)).toMatchObject({ state: "QUERY_STATE_READY", waitReason: expect.anything() });
  gate.open(); // the running statement has no space for its result
  expect(await server.get(running.id, 30)).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "StorageFull" });

  disk.empty();
  // The file system can free the blocks of a removed file later.
  await eventually(async () => (await server.run("select 43 as n")).state === "QUERY_STATE_SUCCESS");
  await eventually(async () => (await server.get(queued.id, 10)).state === "QUERY_STATE_SUCCESS");
  // Usage is written later. The reserved space is for runs.
  const expected = ["no run starts", "usage could not be written", "the last use of key"];
  const aboutDisk = logged.filter((line) => /disk|ENOSPC/.test(line));
  expect(aboutDisk.filter((line) => !expected.some((start) => line.startsWith(start)))).toEqual([]);
});

onSmallDisk(60, "starts on a full disk, and reads", async (disk) => {
  const dataDir = join(disk.path, "data");
  const log = { error: () => {} };
  const before = await startServer({ dataDir, log });
  const { id } = await before.run("select 42 as n");
  await before.stop();
  await disk.fill();

  await using server = await startServer({ dataDir, log });
  expect((await server.results({ queryRunId: id })).rows).toEqual([[42]]);
  await expect(server.create({ sql: "select 1" })).rejects.toMatchObject({ code: -32177 });
  disk.empty();
  // The file system can free the blocks of a removed file later.
  await eventually(async () => (await server.run("select 43 as n")).state === "QUERY_STATE_SUCCESS");
});

onSmallDisk(80, "reads filtered and sorted pages on a full disk, in new processes", async (disk) => {
  const log = { error: () => {} };
  await using server = await startServer({ dataDir: join(disk.path, "data"), log });
  const { id: queryRunId } = await server.run("select range as n, hash(range) as h from range(50000)");
  await disk.fill();
  const sortBy = [{ column: "n", direction: "desc" as const }];
  for (const number of [1, 2, 20]) {
    const { rows } = await server.results({ queryRunId, sortBy, page: { number, size: 1_000 } });
    expect(rows?.[0]).toEqual([51_000 - number * 1_000 - 1, expect.anything()]);
  }
  const { rows } = await server.results({ queryRunId, filters: [{ column: "n", gt: 49_990 }] });
  expect(rows).toHaveLength(9);
});
