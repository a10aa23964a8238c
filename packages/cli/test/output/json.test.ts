import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { jsonArrayOf } from "../../src/output/json.ts";

const lines = Buffer.from('{"n":1,"t":"日本\\n"}\n{"n":2,"t":null}\n{"n":3,"t":"é"}\n');
const array = '[\n{"n":1,"t":"日本\\n"},\n{"n":2,"t":null},\n{"n":3,"t":"é"}\n]\n';

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it.each([1, 2, 7, 19, 1_000])("lines of JSON become an array, in chunks of %i bytes", async (size) => {
  expect(await text(jsonArrayOf(inChunks(lines, size)))).toBe(array);
});

it("a last line without its end is an element too, and no line is an empty array", async () => {
  expect(await text(jsonArrayOf(inChunks(lines.subarray(0, -1), 10)))).toBe(array);
  expect(await text(jsonArrayOf(inChunks(Buffer.alloc(0), 10)))).toBe("[]\n");
});
