import type { Schema } from "apache-arrow";
import { MessageHeader, MetadataVersion } from "apache-arrow/enum";
import { FileBlock, Footer } from "apache-arrow/ipc/metadata/file";
import { Message } from "apache-arrow/ipc/metadata/message";

const magic = "ARROW1";
const endOfStream = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/**
 * Converts a stream of Arrow IPC to the file format, which pandas, polars and DuckDB expect in a file: the same messages
 * between two marks, and an index of the batches at the end.
 * @throws {Error} The stream is not complete.
 */
export async function* arrowFileOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const input = createInput(stream);
  const batches: FileBlock[] = [];
  const dictionaries: FileBlock[] = [];
  let schema: Schema | undefined;
  let offset = 8;
  yield Buffer.from(magic.padEnd(offset, "\0"));
  for (;;) {
    const prefix = await input.take(8);
    const length = prefix.length === 0 ? 0 : prefix.readInt32LE(4);
    if (length === 0) break; // the mark of the end, or none
    const metadata = await input.take(length);
    const message = Message.decode(metadata);
    yield prefix;
    yield metadata;
    yield* input.pass(message.bodyLength);
    const block = new FileBlock(prefix.length + length, message.bodyLength, offset);
    if (message.headerType === MessageHeader.Schema)
      schema = message.header() as Schema; // as its type says
    else (message.headerType === MessageHeader.DictionaryBatch ? dictionaries : batches).push(block);
    offset += prefix.length + length + message.bodyLength;
  }
  await input.end();
  if (schema === undefined) throw cutOff();
  yield endOfStream;
  const footer = Footer.encode(new Footer(schema, MetadataVersion.V5, batches, dictionaries));
  yield footer;
  const end = Buffer.alloc(4 + magic.length);
  end.writeInt32LE(footer.length);
  end.write(magic, 4);
  yield end;
}

/** Creates a reader of exact numbers of bytes. */
function createInput(stream: AsyncIterable<Uint8Array>) {
  const chunks = stream[Symbol.asyncIterator]();
  let left: Uint8Array = new Uint8Array();

  /** Waits for bytes. Returns false at the end of the stream. */
  async function hasBytes(): Promise<boolean> {
    while (left.length === 0) {
      const { done, value } = await chunks.next();
      if (done) return false;
      left = value;
    }
    return true;
  }

  /** Yields the next bytes as they arrive. */
  async function* pass(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    let missing = length;
    while (missing > 0) {
      if (!(await hasBytes())) throw cutOff();
      const part = left.subarray(0, missing);
      left = left.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  return {
    pass,
    /** Reads to the end: a response that is not read whole keeps its connection open, and the process alive. */
    async end(): Promise<void> {
      while (!(await chunks.next()).done);
    },
    /** Returns the next bytes; none at the end of the stream. */
    async take(length: number): Promise<Buffer> {
      if (!(await hasBytes())) return Buffer.alloc(0);
      const parts: Uint8Array[] = [];
      for await (const part of pass(length)) parts.push(part);
      return Buffer.concat(parts);
    },
  };
}

const cutOff = () => new Error("The Arrow stream of the service is not complete.");
