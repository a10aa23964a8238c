import {
  Dictionary,
  Int32,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Table,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { expect, it } from "vitest";
import { arrowFileOf } from "../../src/result/arrow-file.ts";

const word = vectorFromArray(["één", null, "deux", "één"], new Dictionary(new Utf8(), new Int32()));
const batchOf = (from: number) =>
  new Table({
    n: vectorFromArray(
      [0, 1, 2, 3].map((n) => n + from),
      new Int32(),
    ),
    text: vectorFromArray(["a", null, "b", ""], new Utf8()),
    word,
  });

/** Bytes of a stream, in pieces of a length. */
async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const fileOf = async (stream: Uint8Array, length = 1_000) =>
  Buffer.concat(await Array.fromAsync(arrowFileOf(pieces(stream, length))));

const streamed = (table: Table) => RecordBatchStreamWriter.writeAll(table).toUint8Array();

it.each([1, 7, 100_000])(
  "a file has the batches of its stream, which came in pieces of %d bytes, by its index",
  async (length) => {
    const stream = await streamed(batchOf(0).concat(batchOf(4)));
    const file = await fileOf(stream, length);
    const reader = RecordBatchReader.from(file);
    expect(reader.isFile()).toBe(true);
    reader.open();
    // Read backwards: only the index leads to them.
    const second = reader.isFile() && reader.isSync() ? reader.readRecordBatch(1) : undefined;
    expect(second?.getChild("n")?.toArray()).toEqual(Int32Array.of(4, 5, 6, 7));
    expect(tableFromIPC(file).toArray().map(String)).toEqual(tableFromIPC(stream).toArray().map(String));
  },
);

it("a file without rows has its columns", async () => {
  const file = await fileOf(await streamed(batchOf(0).slice(0, 0)));
  expect(tableFromIPC(file).schema.names).toEqual(["n", "text", "word"]);
});

it("a stream that is cut off within a message is an error", async () => {
  const stream = await streamed(batchOf(0));
  for (const length of [0, 4, 9, 200, stream.length - 20])
    await expect(fileOf(stream.subarray(0, length))).rejects.toThrow("not complete");
});

it("a stream is read to its end, also after its last message", async () => {
  let isRead = false;
  const stream = await streamed(batchOf(0));
  const source = async function* () {
    yield* pieces(stream, 100_000);
    await new Promise((resolve) => setImmediate(resolve));
    isRead = true;
  };
  for await (const _ of arrowFileOf(source()));
  expect(isRead).toBe(true);
});
