import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { Int64, Null, Table, tableFromArrays, tableToIPC, vectorFromArray } from "apache-arrow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { arrowMessages } from "../../src/loading/arrow-messages.ts";
import { addToSource, loadSource } from "../../src/loading.ts";
import { typesOf, useLoader } from "./loaded-files.ts";

const { loaded } = useLoader();
let folder: string;
beforeAll(async () => {
  folder = await temporaryDirectory();
});
afterAll(() => rm(folder, { recursive: true }));

const file = (table: Table): Buffer => Buffer.from(tableToIPC(table, "file"));
const stream = (table: Table): Buffer => Buffer.from(tableToIPC(table, "stream"));
const some = tableFromArrays({ n: [1n, -(2n ** 63n), 7n], t: ["a", null, "é"] });
const rows = [
  ["1", "a"],
  ["-9223372036854775808", null],
  ["7", "é"],
];

it("a file and a stream load, compressed or not, whatever their endings are", async () => {
  const [asFile, asStream] = [file(some), stream(some)];
  const contents = {
    "t.arrow": asFile,
    "t.arrows": asStream,
    "t.feather": asFile,
    "t.ipc": asStream,
    "T.ARROW": asStream,
    "t.arrow.gz": gzipSync(asFile),
    "t.arrows.zst": zstdCompressSync(asStream),
  };
  for (const [name, content] of Object.entries(contents))
    expect([name, (await loaded({ [name]: content })).rows]).toEqual([name, rows]);
});

it("record batches of more rows than a chunk of the engine keep their order", async () => {
  const numbers = Array.from({ length: 5_000 }, (_, index) => index);
  const parts = [numbers, [], numbers].map((part) => tableFromArrays({ n: Float64Array.from(part) }));
  const table = (parts[0] as Table).concat(parts[1] as Table, parts[2] as Table);
  expect((await loaded({ "t.arrow": file(table) })).rows.flat()).toEqual([...numbers, ...numbers]);
});

it("the files of a folder are one table by the names of their columns, with the columns that folders add", async () => {
  const [one, other] = [tableFromArrays({ n: [1n], t: ["a"] }), tableFromArrays({ T: ["b"], n: [2n], u: [0.5] })];
  const nulls = new Table({ n: vectorFromArray([3n], new Int64()), t: vectorFromArray([null], new Null()) });
  const { read } = await loaded({
    "y=1/a.arrow": file(one),
    "y=2/b.arrows": stream(other),
    "y=2/c.arrow": file(nulls),
  });
  expect(await read("SELECT n, t, u, y FROM t ORDER BY n")).toEqual([
    ["1", "a", null, "1"],
    ["2", "b", 0.5, "2"],
    ["3", null, null, "2"],
  ]);
  expect(await read(typesOf)).toEqual([[["BIGINT", "VARCHAR", "BIGINT", "DOUBLE"]]]);
  await expect(loaded({ "a.arrow": file(one), "b.arrow": file(tableFromArrays({ n: [2.5] })) })).rejects.toThrow(
    /^Column of two types: n is BIGINT in \S+a\.arrow, and DOUBLE in \S+b\.arrow; /,
  );
});

it("each beginning of a file or a stream, and each end that has more, is refused", async () => {
  const path = join(folder, "part.arrow");
  const read = async (bytes: Buffer): Promise<unknown> => {
    await writeFile(path, bytes);
    return Array.fromAsync(arrowMessages(path, "t.arrow", join(folder, "unpacked")), ({ kind }) => kind).catch(
      (error: Error) => error.message,
    );
  };
  for (const bytes of [file(some), stream(some)]) {
    expect(await read(bytes)).toEqual(["schema", "dictionary", "batch"]);
    const accepted: number[] = [];
    const ends = Array.from({ length: 20 }, (_, index) => bytes.length - 1 - index);
    const steps = Array.from({ length: Math.floor(bytes.length / 47) }, (_, index) => index * 47);
    for (const length of [...steps, ...ends])
      if (typeof (await read(bytes.subarray(0, length))) !== "string") accepted.push(length);
    expect(accepted).toEqual([]);
  }
  expect(await read(Buffer.concat([stream(some), stream(some)]))).toMatch(
    /^Several Arrow streams in one file: t\.arrow;/,
  );
  expect(await read(Buffer.from("FEA1 and more"))).toMatch(/^Feather file of version 1: t\.arrow;/);
  expect(await read(Buffer.from("id,name\n1,Ada\n"))).toMatch(/^Invalid Arrow IPC file: t\.arrow;/);
});

it("two files load in one command", async () => {
  const place = { dataDir: join(folder, "data"), source: "shop" };
  for (const [name, content] of [
    ["one.arrow", file(some)],
    ["two.arrows.gz", gzipSync(stream(some))],
  ] as const) {
    await writeFile(join(folder, name), content);
    await addToSource(place, { from: join(folder, name) });
  }
  const loads = await loadSource(place);
  expect(loads.map(({ name, rows: count }) => [name, count])).toEqual([
    ["shop.main.one", 3],
    ["shop.main.two", 3],
  ]);
});

it("flags of types are refused", async () => {
  await expect(loaded({ "t.arrow": file(some) }, { allText: true })).rejects.toThrow(
    /^Invalid flags --type and --all-text: Arrow files have types of their own;/,
  );
});
