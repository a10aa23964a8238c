import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { parquetRowCount } from "../../src/results/parquet-row-count.ts";
import { inDuckDB } from "../sources/data.ts";

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

const many = Array.from({ length: 500 }, (_, index) => `{'k': range, 'l': [range]} AS c${index}`).join(", ");

it.each([
  ["no", 0, "SELECT 1 AS c0 WHERE false"],
  ["one", 1, "SELECT 'a' AS c0, 1.5::decimal(9,2) AS c1, timestamptz '2026-11-20' AS c2, map {1: [true]} AS c3"],
  ["several groups of", 300_000, "SELECT range AS c0 FROM range(300000)"],
  ["wide nested", 3, `SELECT ${many} FROM range(3)`],
])("%s rows are counted", async (_, rows, sql) => {
  const path = join(directory, "rows.parquet");
  await inDuckDB(":memory:", `COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  expect(await parquetRowCount(path)).toBe(rows);
});

it("refuses incomplete and damaged files", async () => {
  const path = join(directory, "broken.parquet");
  await inDuckDB(":memory:", `COPY (SELECT range AS c0, [range] AS c1 FROM range(1000)) TO '${path}' (FORMAT parquet)`);
  const whole = await readFile(path);
  const length = whole.readUInt32LE(whole.length - 8);
  const ofBytes = async (bytes: Buffer): Promise<number> => {
    await writeFile(path, bytes);
    return parquetRowCount(path);
  };
  for (const bytes of ["", "PAR1", "PAR1\0\0\0\0PAR1", "no Parquet at all"])
    await expect(ofBytes(Buffer.from(bytes))).rejects.toThrow();
  await expect(ofBytes(whole.subarray(0, -1))).rejects.toThrow("Invalid Parquet file");
  for (let position = whole.length - 8 - length; position < whole.length - 8; position += 1) {
    for (const value of [0xf9, 0xff]) {
      const changed = Buffer.from(whole);
      changed[position] = value;
      // It ends, with a number or an error.
      expect(typeof (await ofBytes(changed).catch(() => 0))).toBe("number");
    }
  }
});

it("reads the row count from the first 16 MB of the footer", async () => {
  const path = join(directory, "long.parquet");
  /** Counts the rows of a footer that has its row count, 5, at this byte. */
  const ofRowsAt = async (byte: number): Promise<number> => {
    const skippedBytes = byte - 9;
    const length = [0, 7, 14, 21].map((shift) => ((skippedBytes >> shift) & 0x7f) | (shift < 21 ? 0x80 : 0));
    const footer = Buffer.concat([
      Buffer.from([0x15, 2, 0x18, ...length]),
      Buffer.alloc(skippedBytes),
      Buffer.from([0x16, 10, 0]),
    ]);
    const end = Buffer.alloc(4);
    end.writeUInt32LE(footer.length);
    await writeFile(path, Buffer.concat([Buffer.from("PAR1"), footer, end, Buffer.from("PAR1")]));
    return parquetRowCount(path);
  };
  expect(await ofRowsAt(16_000_000)).toBe(5);
  await expect(ofRowsAt(16_000_001)).rejects.toThrow();
});
