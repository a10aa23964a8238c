import type { DuckDBResult } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { weigh } from "../../src/reader/page-text.ts";

/** Weights of rows as the engine gives them, in chunks: the part of a result that is read. */
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
