import { blobValue, type DuckDBConnection, type DuckDBValue } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { enginePageText } from "../../src/reader/engine-page-text.ts";
import type { LocatedTask } from "../../src/reader/page-query.ts";
import type { RowPlan } from "../../src/reader/row-plan.ts";

const task: LocatedTask = {
  result: "run_a.1",
  files: [{ path: "a", firstRow: 0 }],
  columns: [],
  rowCount: 10,
  maxBytes: 1_000,
  page: { number: 1, size: 10 },
  format: "csv",
  rowIndex: false,
  conditions: [],
  sortKeys: [],
};
const plan: RowPlan = { parts: [], text: "TEXT", textBytes: "BYTES", boundedBytes: 10 };

/** Page of an engine whose queries have these first rows: sums of numbers, or the rows, their text and its estimate. */
async function page(
  { rowCount = 10, ...change }: Partial<RowPlan> & { readonly rowCount?: number },
  ...rows: readonly (readonly DuckDBValue[])[]
) {
  const left = [...rows];
  const queries: string[] = [];
  const connection = {
    async runAndReadAll(sql: string) {
      const isEstimate = sql.includes("sum(BYTES)");
      queries.push(sql.includes("string_agg") ? (isEstimate ? "both" : "text") : isEstimate ? "estimate" : "size");
      return { getRows: () => left.splice(0, 1) };
    },
  };
  const range = { offset: 0, rowCount, page: {} as never };
  const written = await enginePageText(connection as unknown as DuckDBConnection, task, { ...plan, ...change }, range);
  return { text: written && Buffer.concat(written.parts).toString(), written, queries };
}

const blob = (text: string) => blobValue(Buffer.from(text));

describe("a page that the engine writes", () => {
  it("has the text of its rows, with escapes as JavaScript writes them", async () => {
    const { text, written, queries } = await page({}, [10n, blob('["\\u001F"],["é"]'), 1]);
    expect(text).toBe('[["\\u001f"],["é"]]');
    expect(written).toMatchObject({ rowCount: 10, excessBytes: null });
    expect(queries).toEqual(["both"]);
  });

  it("without rows is empty", async () => {
    expect((await page({ rowCount: 0 }, [0n, null, null])).text).toBe("[]");
  });

  it("is not estimated if the length of its values is bounded", async () => {
    expect((await page({ textBytes: undefined }, [10n, blob("x")])).queries).toEqual(["text"]);
  });

  it("is written by JavaScript if the engine cannot write a column", async () => {
    expect(await page({ text: undefined })).toMatchObject({ written: undefined, queries: [] });
  });

  it("is not measured if a third of its text is too large", async () => {
    expect((await page({}, [10n, null, 3_001])).queries).toEqual(["both"]);
    expect((await page({}, [10n, null, 3_000], [999])).queries).toEqual(["both", "size"]);
  });

  it.each([
    ["can have twice the bytes of a page at most", { boundedBytes: 200, textBytes: undefined }, ["text"]],
    ["could have more", { boundedBytes: 201, textBytes: undefined }, ["size", "text"]],
  ])("is measured unless it %s", async (_, change, queries) => {
    const rows: (readonly DuckDBValue[])[] = [[10n, blob("x")]];
    if (queries.length === 2) rows.unshift([998]);
    expect((await page(change, ...rows)).queries).toEqual(queries);
  });

  it("is measured if six times its text could be too large", async () => {
    expect((await page({ boundedBytes: 0 }, [10n, blob("x"), 333])).queries).toEqual(["both"]);
    const large = await page({ boundedBytes: 0 }, [10n, blob("y"), 334], [998], [10n, blob("x")]);
    expect([large.text, large.queries]).toEqual(["[x]", ["both", "size", "text"]]);
  });

  it.each([
    [200, ["both"]],
    [201, ["estimate", "size", "text"]],
  ])("is estimated before its text is built if %i bytes of each row are bounded: %j", async (boundedBytes, queries) => {
    const rows: (readonly DuckDBValue[])[] = [[10n, blob("x"), 0]];
    if (queries.length === 3) rows.unshift([0], [998]);
    expect(await page({ boundedBytes }, ...rows)).toMatchObject({ text: "[x]", queries });
  });

  it("is not written if it does not fit", async () => {
    const large = { boundedBytes: 201, textBytes: undefined };
    expect((await page(large, [999])).queries).toEqual(["size"]);
    expect((await page(large, [998], [10n, blob("x")])).text).toBe("[x]");
    const fitting = await page({ textBytes: undefined }, [10n, blob("x".repeat(997))]);
    expect(fitting.text).toHaveLength(999);
    expect((await page({ textBytes: undefined }, [10n, blob("x".repeat(998))])).written).toBeUndefined();
  });

  it("must have all of its rows", async () => {
    await expect(page({ textBytes: undefined }, [9n, blob("x")])).rejects.toThrow(
      "Incomplete result: it has 9 of 10 rows.",
    );
  });
});
