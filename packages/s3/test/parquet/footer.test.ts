import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFooter, renameColumns } from "../../src/parquet/footer.ts";
import { fileEnd, segmentsOf } from "../../src/results/stored-result.ts";
import { query, temporaryDirectory, writeResult } from "../fixture.ts";

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns a file in two parts: its values, and its footer without the 8 bytes after it. */
async function split(path: string): Promise<{ values: Buffer; footer: Buffer }> {
  const bytes = await readFile(path);
  const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  return { values: bytes.subarray(0, start), footer: bytes.subarray(start, -8) };
}

const nested = "SELECT range AS c0, {a: range, b: [range]} AS c1, 'row ' || range AS c2, MAP {range: 'x'} AS c3";

describe("a footer", () => {
  it("has the rows and bytes of each row group, as the engine lists them", async () => {
    const { path } = await writeResult(directory, `${nested} FROM range(50000)`, 50_000);
    const footer = await readFooter((await split(path)).footer);
    const groups = await query(
      `SELECT row_group_id, any_value(row_group_num_rows), min(coalesce(dictionary_page_offset, data_page_offset)),
         max(coalesce(dictionary_page_offset, data_page_offset) + total_compressed_size)
       FROM parquet_metadata('${path}') GROUP BY ALL ORDER BY ALL`,
    );
    expect(groups).toHaveLength(3);
    let firstRow = 0;
    const expected = groups.map(([, ...group]) => {
      const [rowCount = 0, start = 0, end = 0] = group.map(Number);
      firstRow += rowCount;
      return { firstRow: firstRow - rowCount, rowCount, start, end };
    });
    expect(footer).toMatchObject({ rowCount: 50_000, columnCount: 4, rowGroups: expected });
  });

  it("gets other names of columns, and its first ones again without a byte of difference", async () => {
    const { path } = await writeResult(directory, `${nested} FROM range(50000)`, 50_000);
    const { values, footer } = await split(path);
    const names = ["Größe €", "x".repeat(300), "a.b", 'a"b'];
    const renamed = renameColumns(await readFooter(footer), names);
    const target = join(directory, "renamed.parquet");
    await writeFile(target, Buffer.concat([values, fileEnd(renamed)]));
    const described = await query(`DESCRIBE FROM '${target}'`);
    expect(described.map(([name]) => name)).toEqual(names);
    const paths = await query(`SELECT DISTINCT split_part(path_in_schema, ', ', 1) FROM parquet_metadata('${target}')`);
    expect(new Set(paths.flat())).toEqual(new Set(names));
    const sums = `SELECT sum(COLUMNS(*)) FROM (SELECT "Größe €" AS n FROM '${target}')`;
    expect(await query(sums)).toEqual([[String((50_000 * 49_999) / 2)]]);
    const again = renameColumns(await readFooter(renamed), ["c0", "c1", "c2", "c3"]);
    expect(again.equals(footer)).toBe(true);
  });

  it("gets a name for each of its columns, or none", async () => {
    const { path } = await writeResult(directory, "SELECT 1 AS c0, 2 AS c1", 1);
    const read = await readFooter((await split(path)).footer);
    expect(() => renameColumns(read, ["a"])).toThrow(new Error("The footer has more columns than the 1 given names."));
  });

  it("of an empty result and of hundreds of columns is read", async () => {
    const none = await writeResult(directory, "SELECT 1 AS c0 WHERE false", 0);
    expect(await readFooter((await split(none.path)).footer)).toMatchObject({ rowCount: 0, columnCount: 1 });
    const columns = Array.from({ length: 500 }, (_, index) => `range AS c${index}`).join(", ");
    const wide = await writeResult(directory, `SELECT ${columns} FROM range(3)`, 3);
    const { footer } = await split(wide.path);
    const read = await readFooter(footer);
    expect(read).toMatchObject({ rowCount: 3, columnCount: 500 });
    const names = Array.from({ length: 500 }, (_, index) => `c${index}`);
    expect(renameColumns(read, names).equals(footer)).toBe(true);
  });

  it("that ends early is an error", async () => {
    const { path } = await writeResult(directory, `${nested} FROM range(5)`, 5);
    const { footer } = await split(path);
    for (let length = 0; length < footer.length; length += 7)
      await expect(readFooter(footer.subarray(0, length))).rejects.toThrow();
  });
});

describe("segments", () => {
  const group = (index: number, bytes: number, start: number) => ({
    firstRow: index * 10,
    rowCount: 10,
    start,
    end: start + bytes,
  });

  it("join small row groups, and leave large ones alone", () => {
    const large = 2_000_000;
    const groups = [
      group(0, 500_000, 4),
      group(1, 600_000, 500_004),
      group(2, large, 1_100_004),
      group(3, 5, 3_100_004),
    ];
    expect(segmentsOf(groups, 3_100_009)).toEqual([
      { firstRow: 0, rowCount: 20, start: 4, end: 1_100_004 },
      { firstRow: 20, rowCount: 10, start: 1_100_004, end: 3_100_004 },
      { firstRow: 30, rowCount: 10, start: 3_100_004, end: 3_100_009 },
    ]);
  });

  it("are none if row groups overlap or exceed the values", () => {
    expect(segmentsOf([group(0, 10, 4), group(1, 10, 12)], 100)).toEqual([]);
    expect(segmentsOf([group(0, 10, 4), group(1, 10, 14)], 20)).toEqual([]);
  });
});
