import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { checkSource, createSourceKind } from "quern-sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultRows } from "../../../packages/duckdb/test/reader/result-rows.ts";
import { apiKey, createTestClient } from "../../../packages/server/test/fixture.ts";

let directory: string;
let path: string;
let context: SourceKindContext;
let close: () => Promise<unknown>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "quern-sqlite-"));
  path = join(directory, "shop.sqlite");
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE types (flag BOOLEAN, n INTEGER, text TEXT, day DATE, bytes BLOB);
    INSERT INTO types VALUES (1, 1, 'a', '2026-11-22', x'ff'), (NULL, NULL, NULL, NULL, NULL);
    CREATE TABLE orders (id BIGINT NOT NULL, at TIMESTAMP, old TIMESTAMP);
    INSERT INTO orders VALUES (9007199254740993, '2026-11-22 12:00:00.123456', '0001-01-01 00:00:00.000001')`);
  database.close();
  const options = { workDirectory: directory, spillMegabytes: 100 };
  const writer = createResultWriter(options);
  const hasSpace = async () => true;
  const reader = createResultReader({ ...options, filteredPageTimeoutSeconds: 60, maxCopyBytes: 1e9, hasSpace });
  const kind = createSourceKind();
  close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
  const types = [
    { name: "flag", kind: "boolean" },
    { name: "n", kind: "number" },
    { name: "text", kind: "string" },
    { name: "day", kind: "date" },
    { name: "bytes", kind: "string" },
  ] as const;
  const columnsOf = (kind: "number" | "date", ...names: string[]) => names.map((name) => ({ name, kind }));
  const listed = (name: string, kind: "number" | "date", engineType: string, nullable = true) => ({
    name,
    kind,
    engineType,
    nullable,
  });
  context = {
    kind,
    writer,
    source: { name: "shop", provider: "test", kind: "sqlite", path, lowerCaseColumns: false },
    read: (written) => resultRows(reader, written),
    samples: {
      types: {
        sql: "SELECT * FROM types WHERE n = 1",
        columns: types,
        rows: [[true, 1, "a", "2026-11-22", "/w=="]],
      },
      nulls: { sql: "SELECT * FROM types WHERE n IS NULL", columns: types, rows: [types.map(() => null)] },
      bigNumbers: {
        sql: "SELECT id FROM orders",
        columns: columnsOf("number", "id"),
        rows: [["9007199254740993"]],
      },
      timestamps: {
        sql: "SELECT at, old FROM orders",
        columns: columnsOf("date", "at", "old"),
        rows: [["2026-11-22T12:00:00.123456Z", "0001-01-01T00:00:00.000001Z"]],
      },
      // SQLite has no nested types.
      nested: {
        sql: "SELECT json_array(1, NULL) AS list",
        columns: [{ name: "list", kind: "string" }],
        rows: [["[1,null]"]],
      },
      empty: { sql: "SELECT id FROM orders WHERE false", columns: columnsOf("number", "id"), rows: [] },
    },
    invalid: "SELECT colour FROM orders",
    lateFailure:
      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 50000) SELECT CASE WHEN n < 40000 THEN n ELSE json('late') END FROM t",
    endless: "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
    manyRows: (count) =>
      `WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT ${count}) SELECT hex(randomblob(16)) AS text FROM t`,
    tables: [
      {
        catalog: "shop",
        schema: "main",
        name: "orders",
        columns: [
          listed("id", "number", "BIGINT", false),
          ...["at", "old"].map((name) => listed(name, "date", "TIMESTAMP")),
        ],
      },
      {
        catalog: "shop",
        schema: "main",
        name: "types",
        columns: types.map(({ name, kind }, index) => {
          const engineType = ["BOOLEAN", "INTEGER", "TEXT", "DATE", "BLOB"][index] ?? "";
          return { name, kind, engineType, nullable: true };
        }),
      },
    ],
  };
});
afterAll(async () => {
  await close();
  await rm(directory, { recursive: true });
});

describe("a source of SQLite files", () => {
  it.each(sourceKindContract)("$name", ({ run }) => run(context), 60_000);

  it.each(["DELETE FROM orders", "ATTACH '/etc/passwd' AS x", "PRAGMA journal_mode = DELETE"])(
    "refuses %s",
    async (sql) => {
      const { kind, source } = context;
      const query = { source, sql, data: await kind.hold(source), tenantId: "t", userId: "u", parameters: null };
      await expect(kind.describe(query, AbortSignal.timeout(30_000))).rejects.toMatchObject({ name: "StatementError" });
    },
  );

  it("needs a path", () => {
    expect(() => checkSource({ ...context.source, path: null })).toThrow("Missing path of the data source shop");
  });
});

it("is loaded by its name when the service has a source of its kind", async () => {
  const folder = join(directory, "service");
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules", "quern-sqlite"), "dir");
  await mkdir(join(folder, "data", "sources"), { recursive: true });
  await writeFile(join(folder, "data", "sources", "shop.json"), JSON.stringify({ kind: "sqlite", path }));
  const cli = fileURLToPath(new URL("../../../packages/cli/bin/quern.js", import.meta.url));
  const env = { ...process.env, QUERN_ADAPTERS: "sqlite=quern-sqlite", QUERN_API_KEY: apiKey };
  const words = ["serve", "--data-dir", join(folder, "data"), "--port", "0", "--json"];
  const service = spawn(process.execPath, [cli, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: service.stdout }), "line");
  const client = createTestClient(JSON.parse(String(line)).url);
  expect(await client.rows("SELECT id FROM orders WHERE id > $least", { parameters: { least: 5 } })).toEqual([
    ["9007199254740993"],
  ]);
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  await ended;
}, 120_000);
