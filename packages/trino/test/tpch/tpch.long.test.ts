import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingProgram } from "../engine/trino.ts";
import { groupings } from "./queries/groupings.ts";
import { joins } from "./queries/joins.ts";
import { subqueries } from "./queries/subqueries.ts";
import { windows } from "./queries/windows.ts";
import { readResult, readTable } from "./results.ts";
import { rowCounts, startTpchService, type TpchService } from "./tpch-service.ts";

const reason = missingProgram();
const queries = [...joins, ...subqueries, ...windows, ...groupings].map(
  ({ question, sql }) => [question, sql] as const,
);

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("on Trino, and on a copy of its tables in DuckDB", () => {
    let service: TpchService;
    beforeAll(async () => {
      service = await startTpchService();
    });
    afterAll(() => service?.[Symbol.asyncDispose]());

    it.each(Object.entries(rowCounts))("the table %s has the same columns and %i rows", async (table, count) => {
      const onTrino = await readTable(service.client, table, "lake");
      const onDuckDB = await readTable(service.client, table, "copy");
      expect(onDuckDB.columns).toEqual(onTrino.columns);
      // The rows have keys, so equal numbers of rows and no foreign row make equal tables.
      const expected = new Set(onTrino.lines);
      expect([expected.size, onDuckDB.lines.length]).toEqual([count, count]);
      expect(onDuckDB.lines.filter((line) => !expected.has(line))).toEqual([]);
    });

    it.each(queries)("%s", async (_question, sql) => {
      const [onTrino, onDuckDB] = await Promise.all(
        ["lake", "copy"].map((source) => readResult(service.client, sql, source)),
      );
      expect(onDuckDB).toEqual(onTrino);
      const { rows = [], lines, columnNames = [] } = onTrino ?? {};
      expect(lines).toHaveLength(rows.length);
      expect(rows.length).toBeGreaterThanOrEqual(10);
      const values = rows.flatMap((row) => Object.entries(row)).filter(([, value]) => value !== null);
      expect([...new Set(values.map(([name]) => name))].toSorted(), "columns with values").toEqual(
        columnNames.toSorted(),
      );
    });
  });
