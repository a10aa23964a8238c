import type { DuckDBResult } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { weigh, writeRows } from "../../src/reader/page-text.ts";

/** Size estimates of rows in chunks, in the part of the engine's result interface that is used. */
function weightsOf(...chunks: readonly (readonly number[])[]): DuckDBResult {
  const read = {
    async *[Symbol.asyncIterator]() {
      for (const weights of chunks) yield { getColumnValues: () => weights.map(BigInt) };
    },
  };
  return read as unknown as DuckDBResult;
}

it("counts the rows that may fit across chunks, and returns the smallest size of the next row", async () => {
  const { excessBytes } = await weigh(weightsOf([6_000]), 0);
  const row = Number(excessBytes);
  expect(row).toBeGreaterThan(0);
  expect(await weigh(weightsOf([6_000, 6_000], [6_000, 6_000]), 3 * row)).toEqual({ rowCount: 3, excessBytes: row });
  expect(await weigh(weightsOf([6_000, 6_000]), 2 * row)).toEqual({ rowCount: 2, excessBytes: null });
});

/** Rows in chunks, each row with the text of its only part, and the number of chunks that were freed. */
function rowsOf(...chunks: readonly (readonly string[])[]) {
  let freed = 0;
  const read = {
    async *[Symbol.asyncIterator]() {
      for (const texts of chunks)
        yield {
          rowCount: texts.length,
          getColumnValues: (index: number) => texts.map((text) => (index === 0 ? text : 7)),
          reset() {
            freed += 1;
          },
        };
    },
  };
  return { result: read as unknown as DuckDBResult, freed: () => freed };
}
const parts = [
  { select: "", write: (value: unknown) => `[${value}` },
  { select: "", write: (value: unknown) => `,${value}]` },
];
const textOf = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

it("writes rows of all chunks as one array, and frees the chunks", async () => {
  const { result, freed } = rowsOf(["1", "é"], ["3"]);
  const { parts: written, ...fit } = await writeRows(result, parts, 1_000);
  expect([textOf(written), fit, freed()]).toEqual(["[[1,7],[é,7],[3,7]]", { rowCount: 3, excessBytes: null }, 2]);
  const { parts: none } = await writeRows(rowsOf().result, parts, 1);
  expect(textOf(none)).toBe("[]");
});

it("ends before the row that does not fit, of which it returns the bytes", async () => {
  // Brackets of the page and a comma after each row: [1,7] has 6 bytes, [é,7] has 7.
  const fitting = await writeRows(rowsOf(["1", "é"]).result, parts, 15);
  expect(fitting).toMatchObject({ rowCount: 2, excessBytes: null });
  const { parts: written, ...fit } = await writeRows(rowsOf(["1", "é"], ["3"]).result, parts, 14);
  expect([textOf(written), fit]).toEqual(["[[1,7]]", { rowCount: 1, excessBytes: 7 }]);
  const { parts: first, ...later } = await writeRows(rowsOf(["1"], ["é"]).result, parts, 14);
  expect([textOf(first), later]).toEqual(["[[1,7]]", { rowCount: 1, excessBytes: 7 }]);
  expect(await writeRows(rowsOf(["1"]).result, parts, 7)).toMatchObject({ rowCount: 0, excessBytes: 6 });
});

it("estimates a row by a third of the text of the engine, and counts rows up to the bytes of the page", async () => {
  expect(await weigh(weightsOf([300, 300]), 200)).toEqual({ rowCount: 2, excessBytes: null });
  expect(await weigh(weightsOf([300, 303]), 200)).toEqual({ rowCount: 1, excessBytes: 101 });
});
