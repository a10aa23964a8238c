import { rm } from "node:fs/promises";
import { canBeCells } from "../../src/results/cells.ts";
import { cellBytes, cellText } from "../../src/results/checked-cells.ts";
import type { Product, Stored } from "./product.ts";

/** Largest size of cells that a file is written from, in bytes. The rows of larger ones do not fit into the engine of the test. */
const maxBytes = 100_000;

/** Texts of the same rows that differ although they must be equal. */
interface Unequal {
  readonly expected: string;
  readonly actual: string;
}

/**
 * Takes the columns of a statement that can be cells through each way of a small result: from the execution, from its file,
 * and through a file that is written from the cells. Returns the first that differs from the page of a file.
 */
export async function smallResult(product: Product, sql: string, { types }: Stored): Promise<Unequal | undefined> {
  const names = types.map((_, index) => `c${index}`);
  const kept = names.filter((_, index) => canBeCells(types.slice(index, index + 1)));
  if (kept.length === 0) return undefined;
  const part = `SELECT ${kept.join(", ")} FROM (\n${sql}\n) AS t(${names.join(", ")})`;
  const stored = await product.store(part);
  const expected = await product.page(stored, "csv");
  for (const hasFewRows of [true, false]) {
    const cells = await product.cells(part, hasFewRows);
    const actual = `[${cells.map((row) => `[${row.join(",")}]`).join(",")}]`;
    if (actual !== expected) return { expected, actual };
    if (!hasFewRows || cellBytes(cells) > maxBytes) continue;
    const columns = stored.columns.map(({ name, engineType }) => ({ name, engineType, storedType: engineType }));
    const lines = cells.map((row) => `${JSON.stringify(row.map(cellText))}\n`);
    const { path } = await product.write("lines", columns, [Buffer.from(lines.join(""))]);
    const again = await product.page({ ...stored, path }, "csv");
    const [ofFile, ofCells] = await product.schemas([stored.path, path]);
    await rm(path);
    if (again !== expected) return { expected, actual: again };
    if (ofFile !== ofCells) return { expected: String(ofFile), actual: String(ofCells) };
  }
  await rm(stored.path);
  return undefined;
}
