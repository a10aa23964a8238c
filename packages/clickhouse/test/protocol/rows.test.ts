import { EngineLostError } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { readRows } from "../../src/protocol/rows.ts";

async function* chunks(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Reads a body that comes in these chunks. */
async function read(...texts: readonly (string | Uint8Array)[]) {
  const { columns, arrays, rowCount } = await readRows(chunks(...texts), "events");
  const pieces = await Array.fromAsync(arrays);
  return { columns, arrays: pieces.map((piece) => Buffer.from(piece).toString()), rowCount: rowCount() };
}

const head = '["n","m"]\n["Int8","String"]\n';
const columns = [
  { name: "n", type: "Int8" },
  { name: "m", type: "String" },
];

it.each([
  ["in one chunk", [`${head}[1,"a"]\n[2,"b"]\n`], ['[[1,"a"],[2,"b"]]']],
  ["in chunks that end with a line", ['["n","m"]\n', '["Int8","String"]\n', "[1]\n", "[2]\n"], ["[[1]]", "[[2]]"]],
  ["in chunks of parts of lines", ['["n"', ',"m"]\n["Int8"', ',"String"]\n[1', "]", "\n[2]\n"], ["[[1],[2]]"]],
  ["with a chunk of several lines and a part", [`${head}[1]\n[2`, "]\n"], ["[[1]]", "[[2]]"]],
  ["without rows", [head], []],
])("reads the columns and rows %s", async (_, texts, arrays) => {
  const rowCount = arrays.flatMap((array) => JSON.parse(array)).length;
  expect(await read(...texts)).toEqual({ columns, arrays, rowCount });
});

it("gives a column without a type an empty one", async () => {
  expect((await read('["n"]\n[]\n')).columns).toEqual([{ name: "n", type: "" }]);
});

it("keeps the sign of -0.0, which ClickHouse writes as -0, and leaves texts as they are", async () => {
  const floats = '["n","m"]\n["Array(Float64)","String"]\n';
  const rows = ['[[-0, 0,-0,-0.5,-05],"[-0]"]', '[[], "\\",-0,"]', '[[1e3],"\\\\"]', '[[-0],"é-0,"]'];
  const { arrays } = await read(`${floats}${rows[0]}\n${rows[1]}\n`, `${rows[2]}\n${rows[3]}\n`);
  expect(arrays).toEqual([`[[[-0.0, 0,-0.0,-0.5,-05],"[-0]"],${rows[1]}]`, `[${rows[2]},[[-0.0],"é-0,"]]`]);
  expect((await read(head, `${rows[3]}\n`)).arrays).toEqual([`[${rows[3]}]`]);
});

describe("a body", () => {
  const error = "Code: 60. DB::Exception: no table (UNKNOWN_TABLE)";
  it.each([
    ["in the place of the columns", [`${error}\n`]],
    ["in the place of the types", ['["n"]\n', `${error}\n`]],
    ["after rows in one chunk", [`${head}[1]\n${error}\n`]],
    ["after rows", [head, "[1]\n", `${error}\n`]],
  ])("with an error %s fails the query", async (_, texts) => {
    await expect(read(...texts)).rejects.toMatchObject({ failure: { name: "UnknownTable" } });
  });

  it("with another text is none of ClickHouse", async () => {
    await expect(read(`${head}x\n`)).rejects.toMatchObject({
      failure: { name: "InvalidResponse", message: "ClickHouse sent a row that is not a JSON array." },
    });
  });

  it.each([[[]], [['["n"]\n']], [[`${head}[1`]]])("that ends early loses the query: %j", async (texts) => {
    await expect(read(...texts)).rejects.toBeInstanceOf(EngineLostError);
  });

  it("may have rows of 16 MiB, and no larger ones", async () => {
    const row = (bytes: number) => `["${"x".repeat(bytes - 4)}"]`;
    expect((await read(head, row(16_777_216), "\n")).arrays[0]).toHaveLength(16_777_218);
    await expect(read(head, row(16_777_217), "\n")).rejects.toMatchObject({ failure: { name: "ResultTooLarge" } });
    const many = [row(10_000_000), "\n", row(10_000_000), "\n"];
    expect((await read(head, ...many)).arrays).toHaveLength(2);
  });
});
