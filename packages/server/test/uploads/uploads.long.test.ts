import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../fixture.ts";
import { databaseOf, fileOf, filesOf, rowsOfEngine, upload } from "./fixture.ts";

let server: TestServer;

beforeAll(async () => {
  const path = await databaseOf(`
    CREATE TABLE cars AS FROM (VALUES ('VW', 'DE'), ('Seat', 'ES'), ('Audi', 'DE')) AS t(name, origin);
    CREATE SCHEMA sales; CREATE TABLE sales.regions AS SELECT 1 AS n`);
  server = await startServer({ sources: [{ name: "shop", provider: "quern", path }] });
});

afterAll(() => server[Symbol.asyncDispose]());

const regions = "origin,region\nDE,Europe\nES,Iberia\n";
const joined = "select name, region from cars join regions using (origin) order by name";

async function failure(sql: string, uploads: Record<string, string>): Promise<string> {
  const run = await server.run(sql, { uploads });
  expect(run.state).toBe("QUERY_STATE_FAILED");
  expect(run.errorData).toMatchObject({ category: "USER", retryable: false });
  expect(JSON.stringify(run)).not.toMatch(/\/proc|shared|upload-\d|quern-test/);
  return `${run.errorName}: ${run.errorMessage}`;
}

describe("an uploaded file", () => {
  it("is a table beside those of the data source, in each format, and is gone when the run has ended", async () => {
    const rows = `select * from (values ('DE', 'Europe'), ('ES', 'Iberia')) as t(origin, region)`;
    for (const [format, file] of [
      ["csv", Buffer.from(regions)],
      ["json", await readFile(await fileOf(rows, "json"))],
      [
        "json",
        Buffer.from(
          JSON.stringify([
            { origin: "DE", region: "Europe" },
            { origin: "ES", region: "Iberia" },
          ]),
        ),
      ],
      ["parquet", await readFile(await fileOf(rows, "parquet"))],
    ] as const) {
      const uploadId = await upload(server, format, file);
      const [stored = ""] = await filesOf(server);
      expect((await stat(join(server.dataDir, "uploads", stored))).mode & 0o777).toBe(0o600);
      expect(await server.rows(joined, { uploads: { regions: uploadId } })).toEqual([
        ["Audi", "Europe"],
        ["Seat", "Iberia"],
        ["VW", "Europe"],
      ]);
      await expect.poll(() => filesOf(server)).toEqual([]);
      await expect(server.run(joined, { uploads: { regions: uploadId } })).rejects.toMatchObject({
        code: -32179,
        data: { name: "regions", uploadId },
      });
    }
    // The next run has a process without the file.
    expect((await server.run(joined)).errorName).toBe("CatalogError");
    expect(await server.rows("select n from sales.regions")).toEqual([[1]]);
  });

  it("has the values that the engine reads from it", async () => {
    const sql = `select i, i / 3 as third, 'a "b",' || i as text, date '2026-01-01' + i::int as day, [i, null] as list,
      {'x': i, 'y': 'z'} as struct, i % 2 = 0 as flag, case when i % 3 = 0 then i end as gaps,
      timestamp '2026-01-01 10:11:12.5' + interval (i) minute as noted from range(40) as t(i)`;
    for (const format of ["csv", "json", "parquet"] as const) {
      const path = await fileOf(sql, format, format === "csv" ? ", HEADER" : "");
      const uploads = { mine: await upload(server, format, await readFile(path)) };
      const select =
        "i::varchar as i, third::varchar as third, text, day::varchar as day, list::varchar as list, " +
        "struct::varchar as struct, flag, gaps::varchar as gaps, noted::varchar as noted";
      expect(await server.rows(`select ${select}, typeof(list) as t from mine`, { uploads })).toEqual(
        await rowsOfEngine(`select ${select}, typeof(list) as t from '${path}'`),
      );
    }
  });

  it("has any name that a statement can quote, and several files have several names", async () => {
    const names = ["a b", "select", "information_schema", "O'Neil\"", "../../etc/passwd", "main.x", "é😀", "tables"];
    const uploads: Record<string, string> = {};
    for (const [index, name] of names.entries()) uploads[name] = await upload(server, "csv", `n\n${index}\n`);
    const tables = names.map((name) => `from "${name.replaceAll('"', '""')}"`);
    const rows = await server.rows(`select n::int from (${tables.join(" union all ")}) order by n`, { uploads });
    expect(rows).toEqual(names.map((_, index) => [index]));
  });

  it("may not have the name of a table that it would replace", async () => {
    for (const name of ["CARS", "pg_class"])
      expect(await failure("select 1", { [name]: await upload(server, "csv", regions) })).toMatch(
        new RegExp(`TableNameTaken: Invalid name of an uploaded table: "${name.toLowerCase()}"`),
      );
    const [a, b] = [await upload(server, "csv", regions), await upload(server, "csv", regions)];
    const refused = {
      code: -32602,
      data: { issues: [expect.objectContaining({ pointer: expect.stringMatching(/uploads/) })] },
    };
    await expect(server.run("select 1", { uploads: { a, A: b } })).rejects.toMatchObject(refused);
    await expect(server.run("select 1", { uploads: { "a\nb": a } })).rejects.toMatchObject(refused);
    await expect(server.run("select 1", { uploads: { "": a } })).rejects.toMatchObject(refused);
    await expect(server.run("select 1", { uploads: {} })).rejects.toMatchObject(refused);
    expect(await server.rows("select count(*)::int as n from a, b", { uploads: { a, b } })).toEqual([[4]]);
  });

  it("is a table for the gate: no statement changes it, or reads another file by its path", async () => {
    const uploads = async () => ({ regions: await upload(server, "csv", regions) });
    for (const [sql, name] of [
      ["insert into regions values ('FR', 'Europe')", "StatementNotAllowed"],
      ["drop view regions", "StatementNotAllowed"],
      ["copy regions to 'regions.csv'", "StatementNotAllowed"],
      ["create or replace temp view regions as select 1", "StatementNotAllowed"],
      ["from read_csv('/proc/self/cwd/shared/upload-0.csv')", "StatementNotAllowed"],
      ["from glob('/proc/self/cwd/shared/*')", "StatementNotAllowed"],
      ["from '/proc/self/cwd/shared/upload-1.csv'", "PermissionError"],
      ["from '/etc/passwd.csv'", "PermissionError"],
    ] as const) {
      const run = await server.run(sql, { uploads: await uploads() });
      expect([sql, run.state, run.errorName]).toEqual([sql, "QUERY_STATE_FAILED", name]);
    }
    await expect.poll(() => filesOf(server)).toEqual([]);
  });

  it("that is none of its format fails its run with the message of the engine", async () => {
    const parquet = await readFile(await fileOf("select range as n from range(100000)", "parquet"));
    const broken = Buffer.from(parquet).fill(0xff, 40, 4_000);
    for (const [format, bytes, message] of [
      ["parquet", parquet.subarray(0, -20), /The uploaded table "bad": .*(magic bytes|metadata)/],
      ["parquet", broken, /./],
      ["csv", Buffer.from([0xff, 0xfe, ...Buffer.from(regions, "utf16le")]), /The uploaded table "bad": /],
      ["json", Buffer.from('[{"a": 1}, {"a": '), /The uploaded table "bad": .*JSON/],
    ] as const)
      expect(await failure("select * from bad", { bad: await upload(server, format, bytes) })).toMatch(message);
    // A value that the engine meets after it has chosen the types.
    const late = `n\n${"1\n".repeat(30_000)}x\n`;
    expect(await failure("select sum(n) from bad", { bad: await upload(server, "csv", late) })).toMatch(
      /<bad>|Conversion/,
    );
    await expect.poll(() => filesOf(server)).toEqual([]);
    expect(await server.rows("select 1 as ok")).toEqual([[1]]);
  });

  it("shares its result with a file of the same bytes only", async () => {
    const run = async (name: string, csv: string) => {
      const uploads = { [name]: await upload(server, "csv", csv) };
      const { queryRun } = await server.create({ sql: `from ${name}`, uploads, maxAgeMinutes: 10, waitSeconds: 30 });
      return queryRun;
    };
    const first = await run("t", "n\n1\n");
    expect((await run("t", "n\n1\n")).id).toBe(first.id);
    expect((await run("t", "n\n2\n")).id).not.toBe(first.id);
    await expect.poll(() => filesOf(server)).toEqual([]);
    const uploads = { t: await upload(server, "csv", "n\n9\n") };
    const params = { sql: "from t", uploads, idempotencyKey: "once", waitSeconds: 30 };
    const [one, two] = [await server.create(params), await server.create(params)];
    expect(two.queryRequest.id).toBe(one.queryRequest.id);
    await expect(server.create({ ...params, sql: "from t limit 1" })).rejects.toMatchObject({ code: -32602 });
  });
});
