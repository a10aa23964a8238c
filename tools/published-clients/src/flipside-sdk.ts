import type { Flipside } from "@flipsidecrypto/sdk";
import { beforeAll, describe, expect, it } from "vitest";
import type { Subject } from "./subject.ts";

type Query = Flipside["query"];

/**
 * Methods of `@flipsidecrypto/sdk` that users call. Its tested versions and `@quern/client/flipside` have all of them.
 */
interface Queries extends Pick<Query, "run" | "getQueryResults"> {
  createQueryRun(
    ...query: Parameters<Query["createQueryRun"]>
  ): Promise<{ readonly id: string; readonly sqlStatementId: string }>;
  getQueryRun(...request: Parameters<Query["getQueryRun"]>): Promise<unknown>;
  getSqlStatement(...request: Parameters<Query["getSqlStatement"]>): Promise<unknown>;
  cancelQueryRun(...request: Parameters<Query["cancelQueryRun"]>): Promise<unknown>;
}

type FlipsideClass = new (apiKey: string, url: string) => { readonly query: Queries };

/**
 * Defines tests of the behavior that users of `@flipsidecrypto/sdk` rely on.
 * @param Client class of one version, or of its replacement
 */
export function testFlipsideSdk(version: string, Client: FlipsideClass, subjectOf: () => Subject): void {
  describe.concurrent(`@flipsidecrypto/sdk ${version}`, () => {
    let subject: Subject;
    let flipside: InstanceType<FlipsideClass>;
    beforeAll(() => {
      subject = subjectOf();
      flipside = new Client(subject.apiKey, subject.url);
    });

    it("runs a query and gets its rows", async () => {
      const { sql, columns, rows } = subject.statement;
      const result = await flipside.query.run({ sql });
      expect(result.error).toBeNull();
      expect(result.status).toBe("finished");
      expect(result.columns).toEqual(columns);
      expect(result.rows).toEqual(rows);
      expect(result.records).toEqual(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))));
      expect(result.runStats?.recordCount).toBe(rows.length);
    });

    it("gets the second page", async () => {
      const { sql, rows } = subject.statement;
      const { queryId } = await flipside.query.run({ sql });
      const second = await flipside.query.getQueryResults({ queryRunId: queryId ?? "", pageNumber: 2, pageSize: 2 });
      expect(second.error).toBeNull();
      expect(second.rows).toEqual(rows.slice(2, 4));
      expect(second.page).toMatchObject({ currentPageNumber: 2, currentPageSize: 2, totalRows: rows.length });
    });

    it("filters and sorts a result that is there", async () => {
      const { sql, columns, rows } = subject.statement;
      const [column = ""] = columns;
      const { queryId } = await flipside.query.run({ sql });
      const sorted = await flipside.query.getQueryResults({
        queryRunId: queryId ?? "",
        sortBy: [{ column, direction: "desc" }],
      });
      const values = rows.map(([value]) => value as number | string); // the first column can be sorted
      expect(sorted.rows?.map(([value]: unknown[]) => value)).toEqual(values.sort((a, b) => (a < b ? 1 : -1)));
    });

    it("hands back why a query failed", async () => {
      const { sql, errorName, errorMessage } = subject.failing;
      const { error, rows, status } = await flipside.query.run({ sql });
      expect([rows, status]).toEqual([null, null]);
      expect(error).toMatchObject({ errorType: "QUERY_RUN_EXECUTION_ERROR", name: errorName });
      expect(error?.message).toMatch(errorMessage);
    });

    it("cancels a run", async () => {
      const { id } = await flipside.query.createQueryRun({ sql: subject.endless.sql });
      const canceled = await flipside.query.cancelQueryRun({ queryRunId: id });
      expect(canceled).toMatchObject({ id, state: "QUERY_STATE_CANCELED" });
      expect(await flipside.query.getQueryRun({ queryRunId: id })).toMatchObject({
        state: "QUERY_STATE_CANCELED",
        errorMessage: null,
      });
    });

    it("reads a statement back", async () => {
      const { sql, columns } = subject.statement;
      const { sqlStatementId } = await flipside.query.createQueryRun({ sql });
      const statement = await flipside.query.getSqlStatement({ sqlStatementId });
      expect(statement).toMatchObject({ id: sqlStatementId, sql, columnMetadata: { columns } });
    });

    it("raises its key error for a wrong key", async () => {
      const refused = new Client("wrong", subject.url);
      await expect(refused.query.run({ sql: subject.statement.sql })).rejects.toMatchObject({
        errorType: "USER_ERROR",
        message: expect.stringContaining("Invalid API Key"),
      });
    });
  });
}
