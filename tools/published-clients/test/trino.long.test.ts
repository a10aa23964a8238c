import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Flipside } from "@flipsidecrypto/sdk";
import { createClient, getQueryRun, query, rowsOf, type UntypedRow } from "@quern/client";
import { Flipside as Ours } from "@quern/client/flipside";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingProgram } from "../../../packages/trino/test/engine/trino.ts";
import { cli } from "../../repo-rules/src/service.ts";
import { testFlipsideSdk } from "../src/flipside-sdk.ts";
import type { Subject } from "../src/subject.ts";
import { startTrinoService } from "../src/trino-service.ts";
import { testWire } from "../src/wire.ts";

const reason = missingProgram();

/** Sums of the orders of each region, over four tables. */
const regions = `select region.name as region, count(*) as orders, sum(cast(totalprice as decimal(18, 2))) as dollars
from orders join customer using (custkey) join nation using (nationkey) join region on region.regionkey = nation.regionkey
group by 1 order by 1`;
const columns = ["region", "orders", "dollars"];
const customers = "select custkey, name from customer order by custkey";

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("on a source on Trino", () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await startTrinoService();
    });
    afterAll(() => subject?.[Symbol.asyncDispose]());

    testFlipsideSdk("2.1.0", Flipside, () => subject);
    testFlipsideSdk("of @quern/client", Ours, () => subject);
    testWire(() => subject);

    const client = () => createClient(subject);
    /** Runs a command of the command line. */
    async function quern(...args: string[]): Promise<string> {
      const env = { ...process.env, QUERN_URL: subject.url, QUERN_API_KEY: subject.apiKey };
      return (await promisify(execFile)(process.execPath, [cli, ...args], { env })).stdout;
    }

    it("the old SDK, the client and the command line read the same sums of the tables of TPC-H", async () => {
      const rows: UntypedRow[] = [];
      const result = await query(client(), { sql: regions });
      for await (const row of rowsOf(result)) rows.push(row);
      expect(rows.map(({ region }) => region)).toEqual(["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]);
      expect(rows.reduce((sum, { orders }) => sum + Number(orders), 0)).toBe(15_000);
      const { queryRun } = await getQueryRun(client(), { queryRunId: result.queryRunId });
      expect(queryRun.dataSourceQueryId).toMatch(/^\d{8}_\d{6}_\d{5}_\w{5}$/);
      const old = await new Flipside(subject.apiKey, subject.url).query.run({ sql: regions });
      expect(old).toMatchObject({ error: null, columns });
      expect(old.rows?.map((row: unknown[]) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))).toEqual(
        rows,
      );
      const printed = await quern("query", regions);
      expect(
        printed
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(rows);
      const stored = await quern("result", result.queryRunId, "--format", "csv");
      expect(stored.trimEnd().split("\n")).toHaveLength(6);
      expect(stored.split("\n")[0]).toBe(columns.join());
    });

    it("the old SDK and the client read all pages of a result", async () => {
      const numbers = Array.from({ length: 1500 }, (_, at) => at + 1);
      const { query: old } = new Flipside(subject.apiKey, subject.url);
      const { queryId = "" } = await old.run({ sql: customers, pageSize: 400 });
      const keys: number[] = [];
      for (let pageNumber = 1; pageNumber <= 4; pageNumber += 1) {
        const page = await old.getQueryResults({ queryRunId: queryId ?? "", pageNumber, pageSize: 400 });
        expect(page.page).toMatchObject({ currentPageNumber: pageNumber, totalRows: 1500, totalPages: 4 });
        keys.push(...(page.records ?? []).map(({ custkey }) => Number(custkey)));
      }
      expect(keys).toEqual(numbers);
      const ours: unknown[] = [];
      const result = await query(client(), { sql: customers, pageSize: 400 });
      for await (const { custkey } of rowsOf(result)) ours.push(custkey);
      expect(ours).toEqual(numbers);
    });

    it("the command line exits with 4 for a statement that Trino refuses, and says why", async () => {
      const failed = quern("query", subject.failing.sql);
      await expect(failed).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining("cannot be resolved") });
    });
  });
