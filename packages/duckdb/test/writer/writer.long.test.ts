import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EncodedResult, EngineColumn, ResultCaps, ResultWriter, RowsResult } from "@quern/adapter";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import { createResultReader, createResultWriter, type ResultReader } from "../../dist/index.js";
import { serviceUserIds } from "../processes/machine.ts";
import { resultRows } from "../reader/result-rows.ts";
import { readDatabases } from "../sources/data.ts";

let directory: string;
let writer: ResultWriter;
let reader: ResultReader;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const options = { workDirectory: directory, spillMegabytes: 10 };
  writer = createResultWriter(options);
  reader = createResultReader({
    ...options,
    filteredPageTimeoutSeconds: 60,
    maxCopyBytes: 1e9,
    hasSpace: async () => true,
  });
});
afterAll(async () => {
  await Promise.all([writer.close(), reader.close()]);
  await rm(directory, { recursive: true });
});

const never = new AbortController().signal;
const noCaps: ResultCaps = { maxResultBytes: 1e9, maxResultRows: Number.POSITIVE_INFINITY };
const column = (name: string, storedType: string): EngineColumn => ({ name, engineType: "its own", storedType });

async function* each<T>(...items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const encoded = (encoding: EncodedResult["encoding"], columns: readonly EngineColumn[], ...parts: readonly string[]) =>
  ({ form: "encoded", encoding, columns, parts: each(...parts.map((part) => each(Buffer.from(part)))) }) as const;

async function rowsOf(result: RowsResult | EncodedResult, caps = noCaps): Promise<readonly unknown[]> {
  const written = await writer.write(result, caps, never);
  return resultRows(reader, written).finally(() => written.release());
}

const failure = (name: string, message: string | RegExp) => ({
  failure: { name, message: expect.stringMatching(message) },
});

describe("encoded results", () => {
  const columns = [column("n", "BIGINT"), column("text", "VARCHAR"), column("price", "DECIMAL(30,5)")];

  it("are JSON arrays of rows, in parts that follow one another", async () => {
    const parts = ['[[1, "a\\nb", "1.5"], [9007199254740993, null, null]]', "[]", '[[3, "", 2]]'];
    expect(await rowsOf(encoded("json", columns, ...parts))).toEqual([
      [1, "a\nb", 1.5],
      ["9007199254740993", null, null],
      [3, "", 2],
    ]);
  });

  it("are CSV, in which an empty field with quotes is a text and one without is a null", async () => {
    const parts = ['1,"a ""b"",\nc",1.5\n', '2,"",\n3,,0\n'];
    expect(await rowsOf(encoded("csv", columns, ...parts))).toEqual([
      [1, 'a "b",\nc', 1.5],
      [2, "", null],
      [3, null, 0],
    ]);
  });

  it.each([
    [5_000_000, [999]],
    [8_300_000, [999]],
    [9_000_000, [0, 500, 999]],
  ])("keep a row of %d bytes wherever it is, and the byte order mark of a text", async (length, places) => {
    const columns = [column("n", "VARCHAR"), column("text", "VARCHAR")];
    const long = "x".repeat(length);
    for (const at of places) {
      const lines = Array.from({ length: 1_000 }, (_, n) => `\uFEFF${n},${n === at ? `"${long}"` : "a"}\n`);
      const rows = await rowsOf({ ...encoded("csv", columns, lines.join("")), rowCount: () => 1_000 });
      expect(rows).toHaveLength(1_000);
      expect(rows[at]).toEqual([expect.any(String), long]);
      const [[first] = []] = rows as readonly (readonly string[])[];
      expect(first?.length).toBe(2);
    }
  });

  it("fail if the file has other rows than the engine says it has sent", async () => {
    const result = { ...encoded("csv", columns, "1,a,1\n2,b,2\n"), rowCount: () => 3 };
    await expect(rowsOf(result)).rejects.toThrow("The result has 2 rows, but the data source has sent 3.");
  });

  it("are positional JSON, in which structs are arrays and JSON is text, at every depth", async () => {
    const columns = [
      column("s", 'STRUCT("a b" BIGINT, "c" STRUCT("d" DECIMAL(5,2), "e" BLOB))'),
      column("l", 'STRUCT("x" TIMESTAMP)[]'),
      column("m", 'MAP(INTEGER, STRUCT("n" JSON)[])'),
      column("j", "JSON"),
    ];
    const values = ['[9007199254740993, [1.50, "aGk="]]', '[["2026-01-02 03:04:05.678901"], null]'];
    const row = [...values, '{"1": [["{\\"k\\": [1]}"]], "2": null}', '"[1, \\"a\\"]"'];
    expect(await rowsOf(encoded("positional-json", columns, `[[${row}], [null, null, null, null]]`))).toEqual([
      [
        { "a b": "9007199254740993", c: { d: 1.5, e: "aGk=" } },
        [{ x: "2026-01-02T03:04:05.678901Z" }, null],
        { 1: [{ n: { k: [1] } }], 2: null },
        [1, "a"],
      ],
      [null, null, null, null],
    ]);
    await expect(rowsOf(encoded("positional-json", columns.slice(0, 1), "[[[1]]]"))).rejects.toMatchObject(
      failure("InvalidValue", "does not have 2 values"),
    );
  });

  it("have dates and times with a sign before the year, and with an offset after a space", async () => {
    const columns = [column("d", "DATE"), column("t", "TIMESTAMP"), column("z", "TIMESTAMP WITH TIME ZONE")];
    const [row] = await rowsOf(
      encoded("json", columns, '[["+12345-01-02", "+12345-01-02 03:04:05", "2026-01-02 03:04:05 +05:30"]]'),
    );
    expect(row).toEqual(["+012345-01-02", "+012345-01-02T03:04:05.000Z", "2026-01-01T21:34:05.000Z"]);
  });

  it("are empty", async () => {
    expect(await rowsOf(encoded("json", columns))).toEqual([]);
    expect(await rowsOf(encoded("csv", columns))).toEqual([]);
  });

  it.each([
    ["a value that its column cannot hold", encoded("json", columns, '[["one", "a", 1]]'), /Could not convert.*one/],
    ["a row that is too short", encoded("json", columns, '[[1, "a"]]'), /a row does not have 3 values: \[1,"a"\]/],
    ["JSON that is cut off", encoded("json", columns, '[[1, "a", 1], [2'), /Malformed JSON/],
    ["CSV with another number of fields", encoded("csv", columns, "1,a\n"), /CSV Error/],
  ])("fail with %s, and the message has no path", async (_, result, message) => {
    const write = writer.write(result, noCaps, never);
    await expect(write).rejects.toMatchObject(failure("InvalidValue", message));
    await expect(write).rejects.not.toThrow(directory);
    await expect(write).rejects.not.toThrow("/proc/");
  });

  it("fail with the error of a part after its first bytes", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[[1, "a", 1]');
      throw new Error("the connection was reset");
    }
    const result = { form: "encoded", encoding: "json", columns, parts: each(broken()) } as const;
    await expect(writer.write(result, noCaps, never)).rejects.toThrow("the connection was reset");
  });
});

describe("a stored result", () => {
  it("has the engine's names of types, and row groups like any other", async () => {
    const rows = (async function* () {
      for (let n = 0; n < 130_000; n += 1) yield [n];
    })();
    const written = await writer.write({ form: "rows", columns: [column("n", "BIGINT")], rows }, noCaps, never);
    expect(written).toMatchObject({ rowCount: 130_000, columns: [{ kind: "number", engineType: "its own" }] });
    const groups = `SELECT DISTINCT row_group_num_rows FROM parquet_metadata('${written.path}') ORDER BY 1`;
    expect(await readDatabases([], groups)).toEqual([["7120"], ["20480"]]);
    await written.release();
  });

  it("stores integers with more digits than the numbers of Parquet have as text", async () => {
    const columns = [column("n", "BIGNUM")];
    const digits = "9".repeat(60);
    expect(await rowsOf({ form: "rows", columns, rows: each([1n], [BigInt(digits)]) })).toEqual([[1], [digits]]);
  });

  it.each(['UNION("n" BIGINT)', "VARIANT", "GEOMETRY"])("has no column of type %s", async (type) => {
    const result = { form: "rows", columns: [column("a", type)], rows: each([1]) } as const;
    await expect(writer.write(result, noCaps, never)).rejects.toMatchObject(
      failure("UnsupportedType", "cast the column to JSON"),
    );
  });

  it("is refused if its text is larger than the result and spill limits together", async () => {
    const rows = (async function* () {
      for (;;) yield ["0".repeat(100_000)];
    })();
    const result = { form: "rows", columns: [column("a", "VARCHAR")], rows } as const;
    const caps = { ...noCaps, maxResultBytes: 1_000_000 };
    await expect(writer.write(result, caps, never)).rejects.toMatchObject(failure("ResultTooLarge", "11000000 bytes"));
  });
});

describe("the process of a result", () => {
  let own: ResultWriter;
  let work: string;
  beforeEach(async () => {
    work = await temporaryDirectory();
    own = createResultWriter({ workDirectory: work, spillMegabytes: 10, userIds: await serviceUserIds() });
  });
  afterEach(async () => {
    await own.close();
    expect(await readdir(work)).toEqual([]);
    await rm(work, { recursive: true });
  });

  const one = (value: unknown) => ({ form: "rows", columns: [column("n", "BIGINT")], rows: each([value]) }) as const;
  const files = async (): Promise<readonly string[]> => {
    const entries = await readdir(work, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };

  it("writes small results of a tenant in turn, and keeps none of their files", async () => {
    for (const value of [1, 2, 3]) {
      const written = await own.write(one(value), noCaps, never, "tenant");
      expect(written.path.startsWith(join(work, `writer-${process.pid}-1`))).toBe(true);
      expect(await resultRows(reader, written)).toEqual([[value]]);
      expect(await files()).toHaveLength(2);
      await Promise.all([written.release(), written.release()]);
      expect(await files()).toEqual([]);
    }
  });

  it("writes one result at a time", async () => {
    const first = await own.write(one(1), noCaps, never, "tenant");
    const second = await own.write(one(2), noCaps, never, "tenant");
    expect(await resultRows(reader, first)).toEqual([[1]]);
    expect(await resultRows(reader, second)).toEqual([[2]]);
    await Promise.all([first.release(), second.release()]);
  });

  it("has the limits of each result", async () => {
    await (await own.write(one(1), noCaps, never, "tenant")).release();
    const rows = encoded("json", [column("n", "BIGINT")], "[[1],[2]]");
    const written = own.write(rows, { ...noCaps, maxResultRows: 1 }, never, "tenant");
    await expect(written).rejects.toMatchObject(failure("ResultTooLarge", "1 rows"));
  });

  it("writes no result of another tenant, and none after one that was large or has no tenant", async () => {
    const large = encoded("csv", [column("text", "VARCHAR")], `${"0".repeat(1_000)}\n`.repeat(5_000));
    const paths: string[] = [];
    for (const [result, tenant] of [
      [one(1), "a"] as const,
      [one(2), "b"] as const,
      [large, "c"] as const,
      [one(3), "c"] as const,
      [one(4), undefined] as const,
      [one(5), undefined] as const,
    ]) {
      const { path, release } = await own.write(result, noCaps, never, tenant);
      paths.push(path.slice(work.length).split("/")[1] ?? "");
      await release();
    }
    expect(paths).toEqual([1, 2, 3, 4, 5, 6].map((number) => `writer-${process.pid}-${number}`));
  });

  it("ends with a failure, and leaves nothing", async () => {
    await expect(own.write(one("x"), noCaps, never, "tenant")).rejects.toMatchObject(failure("InvalidValue", "x"));
    expect(await readdir(work)).toEqual([]);
  });

  it("ends with an abort, and leaves nothing", async () => {
    const controller = new AbortController();
    const endless = (async function* () {
      yield [1];
      await new Promise(() => {});
    })();
    const result = { form: "rows", columns: [column("n", "BIGINT")], rows: endless } as const;
    const writing = own.write(result, noCaps, controller.signal, "tenant");
    await eventually(async () => (await readdir(work)).length === 1);
    controller.abort("enough");
    await expect(writing).rejects.toBe("enough");
    expect(await readdir(work)).toEqual([]);
  });

  it("ends when the writer is closed, also if its result is not released", async () => {
    await own.write(one(1), noCaps, never, "tenant");
    await own.close();
    expect(await readdir(work)).toEqual([]);
  });
});
