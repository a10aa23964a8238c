import { readdir, rm } from "node:fs/promises";
import type { EncodedResult, EngineColumn, ResultWriter } from "@quern/adapter";
// The built package is used, because its processes start faster than from sources.
import { createResultWriter } from "@quern/duckdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { readDatabases } from "../sources/data.ts";

let directory: string;
let writer: ResultWriter;
beforeAll(async () => {
  directory = await temporaryDirectory();
  writer = createResultWriter({ workDirectory: directory, spillMegabytes: 100 });
});
afterAll(async () => {
  await writer.close();
  await rm(directory, { recursive: true });
});

const never = new AbortController().signal;
const caps = { maxResultBytes: 1e9, maxResultRows: Number.POSITIVE_INFINITY };
const column = (name: string, storedType: string): EngineColumn => ({ name, engineType: "its own", storedType });
const columns = [column("n", "BIGINT"), column("text", "VARCHAR"), column("at", "TIMESTAMP WITH TIME ZONE")];
const partRows = 20_000;
const fewParts = 10;
/** 110 MB of JSON. */
const manyParts = 60;
/** Text that a part of JSON must not be split at. */
const text = 'a],[b\\"]'.padEnd(40);

type Encoding = EncodedResult["encoding"];

/** @param space Between rows of JSON. */
function part(encoding: Encoding, first: number, space: string): string {
  const rows = Array.from({ length: partRows }, (_, index) => {
    const cells = [String(first + index), text, "2026-01-02 03:04:05.678901 +05:30"];
    if (encoding === "csv") return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
    return JSON.stringify(cells);
  });
  return encoding === "csv" ? `${rows.join("\n")}\n` : `[ ${rows.join(`${space},${space}`)} ] \n`;
}

/** Yields a text in pieces of different sizes, some of one byte. */
async function* pieces(whole: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(whole);
  const start = Math.min(7, bytes.length);
  const end = Math.max(start, bytes.length - 5);
  for (let at = 0; at < start; at += 1) yield bytes.subarray(at, at + 1);
  for (let at = start; at < end; at += 65_521) yield bytes.subarray(at, Math.min(at + 65_521, end));
  for (let at = end; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
}

/** @param last Yields what follows the parts. */
function large(
  encoding: Encoding,
  last: () => AsyncGenerator<Uint8Array> = async function* () {},
  parts = fewParts,
): EncodedResult {
  async function* all(): AsyncGenerator<AsyncIterable<Uint8Array>> {
    for (let index = 0; index < parts; index += 1) {
      // The engine refuses some arrays above 32 MB with space between rows.
      yield pieces(part(encoding, index * partRows, parts === fewParts ? " " : ""));
      if (encoding !== "csv") yield pieces("[ ]");
    }
    const more = last();
    const first = await more.next();
    if (first.done) return;
    yield (async function* () {
      yield first.value;
      yield* more;
    })();
  }
  return { form: "encoded", encoding, columns, parts: all() };
}

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield Buffer.from(each);
}

const left = async () => (await readdir(directory)).filter((name) => name.startsWith("writer-"));

describe("a large result", () => {
  it.each([
    ["json", fewParts],
    ["json", manyParts],
    ["positional-json", fewParts],
    ["positional-json", manyParts],
    ["csv", manyParts],
  ] as const)("is stored in its order from %s in %d parts", async (encoding, parts) => {
    const written = await writer.write(large(encoding, undefined, parts), caps, never);
    expect(written.rowCount).toBe(parts * partRows);
    const rows = `SELECT c0, row_number() OVER () - 1 AS n, c1, c2 FROM read_parquet('${written.path}')`;
    const checks = `count(*), min(c1), max(c1), count(*) FILTER (c0 <> n), min(c2) = max(c2), min(c2)::VARCHAR`;
    const [found] = await readDatabases([], `SELECT ${checks} FROM (${rows})`);
    expect(found?.slice(0, 5)).toEqual([String(parts * partRows), text, text, "0", true]);
    expect(found?.[5]).toMatch(/678901/);
    await written.release();
  });

  it("is stored in its order from rows", async () => {
    const count = 400_000;
    async function* rows(): AsyncGenerator<readonly unknown[]> {
      for (let n = 0; n < count; n += 1) yield [n, text.repeat(5), null];
    }
    const written = await writer.write({ form: "rows", columns, rows: rows() }, caps, never);
    expect(written.rowCount).toBe(count);
    const numbered = `SELECT c0, row_number() OVER () - 1 AS n FROM read_parquet('${written.path}')`;
    const found = await readDatabases([], `SELECT count(*) FILTER (c0 <> n) FROM (${numbered})`);
    expect(found).toEqual([["0"]]);
    await written.release();
  });

  it("is stored from rows, also if a wide integer at its end needs another form", async () => {
    async function* rows(): AsyncGenerator<readonly unknown[]> {
      for (let n = 0n; n < 60_000n; n += 1n) yield [n, "0".repeat(100)];
      yield [10n ** 50n, ""];
    }
    const wide = [column("n", "BIGNUM"), column("text", "VARCHAR")];
    const written = await writer.write({ form: "rows", columns: wide, rows: rows() }, caps, never);
    const last = `SELECT count(*), max(length(c0)) FROM read_parquet('${written.path}')`;
    expect(await readDatabases([], last)).toEqual([["60001", "51"]]);
    await written.release();
  });

  it.each([
    ["a value that its column cannot hold", large("csv", () => bytes('"one","",\n')), "InvalidValue", /one/],
    ["a row that is too short", large("positional-json", () => bytes("[[1]]")), "InvalidValue", /3 values/],
    ["a short row far from the start", large("json", () => bytes("[[1]]"), manyParts), "InvalidValue", /3 values/],
    ["JSON that is cut off", large("json", () => bytes('[[1,"a",null]')), "InvalidValue", /Malformed JSON/],
    ["no array", large("json", () => bytes("{}")), "InvalidValue", /Malformed JSON/],
  ])("fails with %s at its end, and leaves nothing", async (_, result, name, message) => {
    const failure = { name, message: expect.stringMatching(message) };
    await expect(writer.write(result, caps, never)).rejects.toMatchObject({ failure });
    expect(await left()).toEqual([]);
  });

  it("fails at once with a value that its column cannot hold, although its source waits", async () => {
    async function* waiting(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('"one","",\n');
      yield Buffer.from('2,"",\n'.repeat(8_000_000)); // more than the process reads before it converts
      await new Promise(() => {});
    }
    const write = writer.write(large("csv", waiting), caps, never);
    await expect(write).rejects.toMatchObject({ failure: { name: "InvalidValue" } });
    expect(await left()).toEqual([]);
  });

  it("fails with the error of its source, or the reason of an abort, and leaves nothing", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1,"",\n');
      throw new Error("the connection was reset");
    }
    await expect(writer.write(large("csv", broken), caps, never)).rejects.toThrow("the connection was reset");
    const controller = new AbortController();
    async function* waiting(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1,"",\n');
      setTimeout(() => controller.abort("enough"), 200);
      await new Promise(() => {});
    }
    await expect(writer.write(large("csv", waiting), caps, controller.signal)).rejects.toBe("enough");
    expect(await left()).toEqual([]);
  });

  it("is refused above a cap of its rows or its text", async () => {
    const refused = (limit: string) => ({
      failure: { name: "ResultTooLarge", message: expect.stringContaining(limit) },
    });
    const few = { ...caps, maxResultRows: 100_000 };
    for (const result of [large("csv"), large("json", undefined, manyParts)])
      await expect(writer.write(result, few, never)).rejects.toMatchObject(refused("100000 rows"));
    const small = createResultWriter({ workDirectory: directory, spillMegabytes: 1 });
    const narrow = { ...caps, maxResultBytes: 9_000_000 };
    await expect(small.write(large("csv"), narrow, never)).rejects.toMatchObject(refused("10000000 bytes of text"));
    await small.close();
    expect(await left()).toEqual([]);
  });
});
