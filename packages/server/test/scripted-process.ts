// A server in a process of its own whose engine takes as long as it is logged, so that a kill meets runs in every state:
// a statement is `rows=<number>` or `fails`. Its results are Parquet files like any other. All else is the real engine's.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { type SourceKind, StatementError } from "@quern/adapter";
import { createDuckDBSourceKind } from "@quern/duckdb";
import { createServer } from "@quern/server";
import { limitDefaults } from "../src/common/limits.ts";
import { idleKind, writtenExecution } from "./fixture.ts";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const database = await DuckDBInstance.create();
const directory = await mkdtemp(join(tmpdir(), "quern-scripted-"));
const mostMs = 40;
let written = 0;
let engine: SourceKind | undefined;

/** It puts its folders where the service does, which empties that when it starts: so it comes after it. */
function realEngine(): SourceKind {
  const workDirectory = join(dataDir, "work");
  engine ??= createDuckDBSourceKind({
    ...limitDefaults,
    workDirectory,
    linkDirectory: join(workDirectory, "links"),
    threads: 1,
  });
  return engine;
}

const kind: SourceKind = {
  ...idleKind,
  hold: async () => ({ revision: "none", databases: [], release: async () => {} }),
  async begin(statement, signal) {
    const { sql } = statement;
    if (sql.startsWith("select")) return realEngine().begin(statement, signal);
    await sleep(Math.random() * mostMs, undefined, { signal });
    const [what, rows = "0"] = sql.split("=");
    if (what === "fails") {
      throw new StatementError({
        name: "BinderError",
        message: "It fails.",
        data: { category: "USER", retryable: false },
      });
    }
    const path = join(directory, `${++written}.parquet`);
    const connection = await database.connect();
    await connection.run(`copy (select range as c0, uuid() as c1 from range(${rows})) to '${path}' (format parquet)`);
    connection.closeSync();
    const columns = [
      { name: "n", kind: "number" as const, engineType: "BIGINT" },
      { name: "token", kind: "string" as const, engineType: "UUID" },
    ];
    const result = { path, columns, rowCount: Number(rows), release: () => rm(path, { force: true }) };
    return writtenExecution(result, () => sleep(Math.random() * mostMs, undefined, { signal }));
  },
  close: async () => engine?.close(),
};

const sources = [{ name: "test", provider: "quern" }];
const server = await createServer({
  dataDir,
  apiKey,
  sources,
  sourceKinds: { duckdb: kind },
  limits: { maxRunningRuns: 8 },
});
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
