import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UploadedTable } from "@quern/adapter";
import { afterEach, beforeEach, expect } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createProcessExecutor, type Executor } from "../../src/executor/executor.ts";
import { asRoot, serviceUserIds } from "../processes/machine.ts";
import { inDuckDB } from "../sources/data.ts";
import { statementLimits } from "./statement-limits.ts";

// The built package is used, because its processes start faster than from sources.
const module = new URL("../../dist/executor/worker.js", import.meta.url);
const caps = { maxResultBytes: 1e9, maxResultRows: 1e9 };
const never = new AbortController().signal;

let directory: string;
let executor: Executor;
beforeEach(async () => {
  directory = await temporaryDirectory();
  const options = { ...statementLimits, workDirectory: directory, userIds: await serviceUserIds() };
  executor = createProcessExecutor(module, options);
});
afterEach(async () => {
  await executor.close();
  await rm(directory, { recursive: true });
});

const run = (owner: string, path: string) =>
  executor.execute(
    { sql: "from t", parameters: null, databases: [{ name: "shop", path }], owner, revision: "1" },
    caps,
    never,
  );

asRoot("runs statements of two users on one file, and owns the files that they share and leave", async () => {
  const path = join(directory, "shop.duckdb");
  await inDuckDB(path, "create table t as select 42 as n");
  for (const owner of ["ann", "bob"]) {
    const written = await run(owner, path);
    expect(written).toMatchObject({ rowCount: 1 });
    expect(await stat(written.path ?? "")).toMatchObject({ uid: 0, gid: 0, nlink: 1 });
    await written.release();
  }
  expect((await stat(path)).nlink).toBe(3); // one link for each process
  // A process with the user id of the one that created the file could otherwise change it for all others.
  expect(await stat(join(directory, "memory.duckdb"))).toMatchObject({ uid: 0, gid: 0 });
  await executor.close();
  expect((await stat(path)).nlink).toBe(1);
});

asRoot("reads the write-ahead log beside a file", async () => {
  const path = join(directory, "logged.duckdb");
  await inDuckDB(
    path,
    "create table t as select 1 as n",
    "checkpoint",
    "set wal_autocheckpoint = '1TB'",
    "pragma disable_checkpoint_on_shutdown",
    "insert into t values (2)",
  );
  expect((await stat(`${path}.wal`)).size).toBeGreaterThan(0);
  expect(await run("ann", path)).toMatchObject({ rowCount: 2 });
});

asRoot("fails with a message without paths if the file cannot be read", async () => {
  const failure = await run("ann", join(directory, "missing.duckdb")).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining("<path>") });
  expect(String(failure)).not.toContain("/proc/");
});

asRoot(
  "lends an uploaded file to the process of its statement alone, which can read no other and change none",
  async () => {
    const [mine, other] = [join(directory, "mine"), join(directory, "other")];
    await writeFile(mine, "n\n42\n", { mode: 0o600 });
    await writeFile(other, "n\n1\n", { mode: 0o644 });
    const ungated = createProcessExecutor(new URL("../hostile/ungated-worker.ts", import.meta.url), {
      ...statementLimits,
      workDirectory: join(directory, "work"),
      userIds: await serviceUserIds(),
      isolation: "user",
    });
    await mkdir(join(directory, "work"));
    const read = (sql: string, uploads: readonly UploadedTable[] = [{ name: "mine", format: "csv", path: mine }]) =>
      ungated.execute({ sql, parameters: null, databases: [], owner: "ann", revision: "1", uploads }, caps, never);
    try {
      const written = await read("from mine");
      expect(written).toMatchObject({ rowCount: 1 });
      await written.release();
      const lent = "/proc/self/cwd/shared/upload-0.csv";
      for (const [sql, uploads] of [
        [`select * from read_csv('${other}')`],
        [`select * from read_csv('${mine}')`],
        ["select * from glob('/proc/self/cwd/shared/*')"],
        [`copy (select 1) to '${lent}'`],
        [`copy (select 1) to '/proc/self/cwd/shared/new.csv'`],
        // The next process of the same user has no file.
        [`select * from read_csv('${lent}')`, []],
        ["from mine", []],
      ] as const)
        await expect(read(sql, uploads), sql).rejects.toThrow(/Permission|permission|disabled|not exist|Cannot open/);
      expect(await readFile(mine, "utf8")).toBe("n\n42\n");
      expect(await stat(mine)).toMatchObject({ uid: 0 });
    } finally {
      await ungated.close();
    }
  },
);
