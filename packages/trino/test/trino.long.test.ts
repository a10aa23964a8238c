import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { EncodedResult, Source, SourceKind, Statement } from "@quern/adapter";
import { checkStatements, createSourceKind } from "@quern/trino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { allSlices } from "../../adapter/test/all-slices.ts";
import { forTenants } from "../../server/src/sources/tenant-kind.ts";
import { eventually, temporaryDirectory } from "../../server/test/fixture.ts";
import { startServerProcess } from "../../server/test/server-process.ts";
import { admit } from "../src/dialect/gate.ts";
import { randomStatements } from "./dialect/random-statements.ts";
import { foreign, hostile, ofSystem, reading } from "./dialect/statements.ts";
import { missingProgram, password, sharedTrino, type TestTrino } from "./engine/trino.ts";
import { data, never, sourceAt, statementOn, withoutSecrets } from "./fixture.ts";
import { createTables, execute, queryInfo, samples } from "./samples.ts";

const reason = missingProgram();

/** Reads a result as text, and returns its rows. */
async function rowsOf(
  kind: SourceKind,
  source: Source,
  sql: string,
  change: Partial<Statement> = {},
): Promise<unknown[][]> {
  const execution = await kind.begin(statementOn(source, sql, change), never);
  try {
    const { parts } = (await execution.result()) as EncodedResult;
    const rows: unknown[][] = [];
    for await (const part of parts) rows.push(...JSON.parse(Buffer.concat(await Array.fromAsync(part)).toString()));
    return rows;
  } finally {
    await execution.release();
  }
}

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("Trino", () => {
    const kind = createSourceKind(withoutSecrets);
    let trino: TestTrino;
    let directory: string;
    let source: Source;
    beforeAll(async () => {
      directory = await temporaryDirectory();
      trino = await sharedTrino({ directSegments: true });
      source = sourceAt(trino.address("reader", "memory/contract", { catalogs: "tpch" }));
      await createTables(trino.http);
      setDefaultCACertificates([...getCACertificates(), trino.certificate]);
    });
    afterAll(async () => {
      await trino?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    const isCanceled = async (id: string): Promise<boolean> => {
      const { state, errorCode } = await queryInfo(trino.http, id);
      return state === "FAILED" && errorCode?.name === "USER_CANCELED";
    };

    it("gets no hostile statement, and executes every reading one", async () => {
      const spy = vi.spyOn(globalThis, "fetch");
      for (const sql of [...hostile, ...foreign, ...ofSystem])
        await expect(kind.begin(statementOn(source, sql), never)).rejects.toThrow("not allowed");
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
      const owner = sourceAt(trino.address("owner", "memory/contract", { catalogs: "tpch" }));
      // Each statement waits for Trino several times.
      const waiting = [...reading];
      const lane = async (): Promise<void> => {
        for (let sql = waiting.pop(); sql !== undefined; sql = waiting.pop())
          expect(await rowsOf(kind, owner, sql), sql).not.toEqual([]);
      };
      await Promise.all(Array.from({ length: 4 }, lane));
    });

    it("may execute as a user with the same catalogs what the gate admits, and refuses the rest as well", async () => {
      const seed = 20261128;
      const next = randomStatements(seed);
      const verdicts = { admitted: 0, refused: 0 };
      for (let count = 0; count < 100; count++) {
        const { sql, isForeign } = next();
        const isAdmitted = await Promise.try(() => allSlices(admit(sql, new Set(["memory", "tpch"])))).then(
          () => true,
          () => false,
        );
        const executed = execute(trino.http, `EXPLAIN (TYPE VALIDATE) ${sql}`, "confined");
        const verdict = await executed.then(
          () => true,
          (error: Error) => (error.message.includes("Access Denied") ? false : error.message),
        );
        expect({ sql, isAdmitted, verdict }).toEqual({ sql, isAdmitted: !isForeign, verdict: !isForeign });
        verdicts[isAdmitted ? "admitted" : "refused"]++;
      }
      expect(Math.min(...Object.values(verdicts))).toBeGreaterThan(25);
    });

    it("has the statements of all callers in its catalog system, which a source without a catalog does not", async () => {
      const anyCatalog = sourceAt(trino.address("reader"));
      const sql = "SELECT count(*) FROM system.runtime.queries WHERE query LIKE '%SELECT 4711%'";
      await rowsOf(kind, source, "SELECT 4711", { tenantId: "other" });
      await expect(rowsOf(kind, anyCatalog, sql)).rejects.toThrow("it names the catalog system");
      const named = sourceAt(trino.address("reader", "", { catalogs: "system" }));
      expect(await rowsOf(kind, named, sql)).not.toEqual([[0]]);
      const catalogs = (await kind.tables?.({ ...statementOn(anyCatalog, ""), source: anyCatalog }, never)) ?? [];
      expect(new Set(catalogs.map(({ catalog }) => catalog))).toEqual(new Set(["memory", "tpch", "tpch_decimal"]));
    });

    it("shows by the statements of a check that a catalog or schema does not exist", async () => {
      const check = async (path: string, catalogs?: string): Promise<string> => {
        const checked = sourceAt(trino.address("reader", path, { ...(catalogs !== undefined && { catalogs }) }));
        const run = async () => {
          for (const sql of checkStatements(checked)) await rowsOf(kind, checked, sql);
        };
        return run().then(
          () => "ok",
          (error: Error) => error.message,
        );
      };
      expect(await check("memory/contract", "tpch")).toBe("ok");
      expect(await check("memory")).toBe("ok");
      expect(await check("hive/sales")).toMatch(/hive.* (?:does not exist|not found)/);
      expect(await check("memory/sales")).toMatch(/sales.* does not exist/);
      expect(await check("memory/contract", "hive")).toMatch(/hive.* (?:does not exist|not found)/);
    });

    it("itself refuses a user who may only read, past the gate", async () => {
      const writes = [
        "CREATE TABLE memory.contract.t AS SELECT 1 AS a",
        "INSERT INTO memory.contract.places (id) VALUES 1",
      ];
      for (const sql of [...writes, "DROP TABLE memory.contract.places", "CREATE SCHEMA memory.other"])
        await expect(execute(trino.http, sql, "reader"), sql).rejects.toThrow("Access Denied");
      await execute(trino.http, "CREATE TABLE memory.contract.t AS SELECT 1 AS a", "owner");
      await execute(trino.http, "DROP TABLE memory.contract.t", "owner");
    });

    it("gets the values of parameters unchanged", async () => {
      const texts = ["it's", "'; DROP TABLE t --", "\\", "a\nb\u0000c", "ü😀", ""];
      const numbers = [0, -1, 2 ** 31, -(2 ** 53) + 1, 0.1, -1.5e-300, 1.7976931348623157e308, 2 ** 60];
      const values = [...texts, ...numbers, true, null];
      const sql = `SELECT ${values.map(() => "?").join(", ")}, '?' -- ?`;
      expect(await rowsOf(kind, source, sql, { parameters: values })).toEqual([[...values, "?"]]);
    });

    it("takes dates of any year as a page shows them, the sign of -0.0, and all digits of a decimal", async () => {
      const sql = `SELECT CAST($1 AS date) = DATE '12026-01-02', CAST($2 AS date) = DATE '-0043-03-15',
        from_iso8601_timestamp($3) = TIMESTAMP '12026-01-02 03:04:05 UTC', 1 / $4,
        CAST($5 AS decimal(38, 20)) = DECIMAL '1234567890123.45600000000000000000'`;
      const shown = ["+012026-01-02", "-000043-03-15", "+012026-01-02T03:04:05.000Z"];
      const parameters = [...shown, { exactNumber: "-0.0" }, 1234567890123.456];
      expect(await rowsOf(kind, source, sql, { parameters })).toEqual([[true, true, true, "-Infinity", true]]);
      const asTimestamp = rowsOf(kind, source, "SELECT CAST($1 AS timestamp)", { parameters: shown.slice(2) });
      await expect(asTimestamp).rejects.toMatchObject({ failure: { name: "InvalidCastArgument" } });
    });

    it("describes statements that are too long for a header, and their parameters", async () => {
      const sql = `SELECT 1 AS n, '${"x'' ".repeat(20_000)}' AS s FROM (VALUES 1) AS t(n) WHERE n > ? AND 'a' = ?`;
      const query = { sql, source, data, parameters: null, tenantId: "t", userId: "u" };
      const { columns, parameters } = await kind.describe(query, never);
      expect(columns.map(({ name, kind }) => [name, kind])).toEqual([
        ["n", "number"],
        ["s", "string"],
      ]);
      expect(parameters.map(({ name }) => name)).toEqual(["1", "2"]);
    });

    it("returns the plan of a statement, and executes the statement with ANALYZE only", async () => {
      const plan = async (head: string, sql: string) =>
        (await rowsOf(kind, source, `${head} ${sql}`)).flat().join("\n");
      const sql = "SELECT count(*) FROM tpch.tiny.region WHERE regionkey = 3";
      expect(await plan("EXPLAIN", sql)).toMatch(/Fragment 0[\s\S]*region/);
      const json: unknown = JSON.parse(await plan("EXPLAIN (TYPE LOGICAL, FORMAT JSON)", sql));
      expect(JSON.stringify(json)).toContain('"ScanFilterProject"');
      expect(await plan("EXPLAIN (TYPE VALIDATE)", "SELECT 1")).toBe("true");
      expect(await plan("EXPLAIN ANALYZE VERBOSE", sql)).toContain("CPU");
      const failing = "SELECT 1 / (regionkey - 3) FROM tpch.tiny.region";
      expect(await plan("EXPLAIN", failing)).toContain("regionkey");
      await expect(plan("EXPLAIN ANALYZE", failing)).rejects.toMatchObject({ failure: { data: { category: "USER" } } });
      expect((await kind.describe(statementOn(source, `EXPLAIN ANALYZE ${failing}`), never)).columns).toEqual([
        { name: "Query Plan", kind: "string", engineType: expect.stringMatching(/^varchar/) },
      ]);
    });

    it("knows who runs a query and why, and ends it with its release", async () => {
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const execution = await kind.begin(
        statementOn(source, samples.endless, { traceparent, tags: { team: "a, b" } }),
        never,
      );
      const id = execution.engineQueryId ?? "";
      const { session } = await queryInfo(trino.http, id);
      expect(session).toMatchObject({
        user: "reader",
        source: "quern",
        clientTags: ["team=a%2C b"],
        traceToken: traceparent.slice(3, 35),
        clientInfo: '{"queryRunId":"run_1","tenantId":"tenant","userId":"user@example.org"}',
      });
      await execution.release();
      await eventually(() => isCanceled(id));
    });

    it("reports progress while a query runs", async () => {
      const execution = await kind.begin(statementOn(source, "SELECT max(comment) FROM tpch.sf2.lineitem"), never);
      const result = execution.result();
      result.catch(() => {}); // awaited below
      await eventually(() => (execution.progress() ?? 0) > 0);
      expect(execution.progress()).toBeLessThan(1);
      await execution.release();
      await expect(result).rejects.toThrow("released");
    });

    it("spools a large result, whose segments are acknowledged, and not with the option spooling=false", async () => {
      const spy = vi.spyOn(globalThis, "fetch");
      const urls = (): string[] => spy.mock.calls.map(([url]) => String(url));
      // Trino inlines up to 1,000 rows or 128 kB, and a busy one sends few rows at a time: 50 rows are more than 128 kB.
      const sql =
        "SELECT n, rpad('', 3000, to_hex(sha1(to_utf8(CAST(n AS varchar))))) AS s FROM TABLE(sequence(1, 10000)) AS t(n)";
      const spooled = await rowsOf(kind, source, sql);
      const downloads = urls().filter((url) => url.startsWith(trino.segments)).length;
      expect(downloads).toBeGreaterThan(0);
      const acks = spy.mock.results.filter((_, at) => urls()[at]?.includes("/v1/spooled/ack/"));
      expect(acks).toHaveLength(downloads);
      for (const { value } of acks) expect((await value).ok).toBe(true);
      spy.mockClear();
      const unspooled = trino.address("reader", "memory/contract", { catalogs: "tpch", spooling: "false" });
      const direct = await rowsOf(kind, sourceAt(unspooled), sql);
      expect(urls().filter((url) => url.startsWith(trino.segments) || url.includes("/v1/spooled/"))).toEqual([]);
      spy.mockRestore();
      expect(spooled).toHaveLength(10_000);
      expect(spooled.toSorted()).toEqual(direct.toSorted());
    });

    describe("with passwords", () => {
      const secret = () => readFile(join(directory, "password"), "utf8");
      const secured = createSourceKind({ secret });
      const sourceOf = (user: string): Source => {
        const place = { file: join(directory, "password") };
        return sourceAt(`trino://${user}@${trino.https}?SSL=true`, { password: place, runAs: "user" });
      };
      const asUser = { userId: "alice" };

      it("executes as the user of the call, whom the user of the source impersonates", async () => {
        await writeFile(join(directory, "password"), password);
        expect(await rowsOf(secured, sourceOf("service"), "SELECT current_user", asUser)).toEqual([["alice"]]);
        const query = {
          ...asUser,
          sql: "SELECT current_user AS u",
          source: sourceOf("service"),
          data,
          parameters: null,
        };
        expect(await secured.describe({ ...query, tenantId: "t" }, never)).toMatchObject({ columns: [{ name: "u" }] });
      });

      it("executes statements of users of two tenants with the same id as two users", async () => {
        const { address = "", ...rest } = sourceOf("service");
        const kindOfTenants = forTenants(secured);
        const both = { ...rest, address: `${address}&sessionUser={tenant}.{user}` };
        for (const tenantId of ["acme", "other"]) {
          const rows = rowsOf(kindOfTenants, both, "SELECT current_user", { ...asUser, tenantId });
          expect(await rows).toEqual([[`${tenantId}.alice`]]);
        }
      });

      it("refuses a user of the source who may not impersonate", async () => {
        const failed = rowsOf(secured, sourceOf("reader"), "SELECT 1", asUser);
        await expect(failed).rejects.toThrow("User reader cannot impersonate user alice");
      });

      it("cancels a query of a user for another process", async () => {
        const execution = await secured.begin(statementOn(sourceOf("service"), samples.endless, asUser), never);
        const id = execution.engineQueryId ?? "";
        await createSourceKind({ secret }).cancel(sourceOf("service"), id, { tenantId: "t", ...asUser });
        await eventually(() => isCanceled(id));
        await execution.release();
      });

      it("refuses a wrong password without naming it, and reads a changed one at the next statement", async () => {
        await writeFile(join(directory, "password"), "geheim");
        const failed = rowsOf(secured, sourceOf("service"), "SELECT 1", asUser);
        await expect(failed).rejects.toMatchObject({ failure: { name: "DataSourceUnauthorized" } });
        await expect(failed).rejects.not.toThrow("geheim");
        await writeFile(join(directory, "password"), password);
        expect(await rowsOf(secured, sourceOf("service"), "SELECT 1", asUser)).toEqual([[1]]);
      });
    });

    it("loses no query to a killed server: the next one cancels it, and runs the statement again", async () => {
      process.env.QUERN_TEST_TRINO = source.address;
      const start = () => startServerProcess(directory, "../../trino/test/serve-process.ts");
      const killed = await start();
      const { queryRun } = await killed.create({ sql: samples.endless });
      const idOf = async (server: typeof killed) => (await server.get(queryRun.id)).dataSourceQueryId;
      await eventually(async () => (await idOf(killed)) !== null);
      const orphan = (await idOf(killed)) ?? "";
      await killed.end("SIGKILL");
      expect((await queryInfo(trino.http, orphan)).state).not.toBe("FAILED");
      const next = await start();
      await eventually(() => isCanceled(orphan));
      await eventually(async () => ![null, orphan].includes(await idOf(next)));
      const second = (await idOf(next)) ?? "";
      await next.call("cancelQueryRun", { queryRunId: queryRun.id });
      await eventually(() => isCanceled(second));
      await next.end("SIGTERM");
    });
  });
