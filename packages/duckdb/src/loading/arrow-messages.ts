import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { SourceError } from "../sources/origin.ts";
import { filePlan, headOf } from "./arrow-metadata.ts";
import { bytesOf, isCompressed } from "./file-bytes.ts";

/** Message of a file or stream of Arrow IPC, with its head and its body. */
export interface ArrowMessage {
  readonly kind: "schema" | "dictionary" | "batch";
  readonly bytes: Uint8Array;
}

const magic = "ARROW1";
/** Bytes before the metadata of a message: a mark, and the length of the metadata. */
const prefixBytes = 8;
/** Length of the footer, and the mark of the end. */
const tailBytes = 4 + magic.length;
const kinds = [undefined, "schema", "dictionary", "batch"] as const;

/**
 * Yields the messages of a file of Arrow IPC, in the file format or as a stream: the schema, and each batch after the
 * dictionaries that it needs.
 * @param copy path to which a compressed file is written without its compression
 * @throws {SourceError} if the file is not complete
 */
export async function* arrowMessages(
  path: string,
  shown: string,
  copy: string,
): AsyncGenerator<ArrowMessage, void, undefined> {
  const start = await startOf(path, shown);
  if (start.startsWith("FEA1"))
    throw new SourceError(`Feather file of version 1: ${shown}; write it with version 2, or as Parquet`);
  if (start !== magic) yield* streamMessages(path, shown);
  else if (isCompressed(path)) {
    await pipeline(bytesOf(path), createWriteStream(copy));
    yield* fileMessages(copy, shown);
  } else yield* fileMessages(path, shown);
}

async function startOf(path: string, shown: string): Promise<string> {
  const input = createInput(bytesOf(path), () => notComplete(shown));
  const start = await input.take(magic.length);
  await input.end();
  return start.toString("latin1");
}

/** Yields the messages of the file format, which lists them at its end. */
async function* fileMessages(path: string, shown: string): AsyncGenerator<ArrowMessage, void, undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const readAt = async (offset: number, length: number): Promise<Buffer> => {
      if (offset < 0 || length < 0 || offset + length > size) throw notComplete(shown);
      // The body begins at a multiple of 8 bytes, as its numbers require.
      const bytes = Buffer.allocUnsafeSlow(length);
      for (let read = 0; read < length; ) {
        const { bytesRead } = await file.read(bytes, read, length - read, offset + read);
        if (bytesRead === 0) throw notComplete(shown);
        read += bytesRead;
      }
      return bytes;
    };
    const tail = await readAt(size - tailBytes, tailBytes);
    const footerBytes = tail.readInt32LE(0);
    if (tail.toString("latin1", 4) !== magic || footerBytes < 4) throw notComplete(shown);
    const { schema, dictionaries, batches } = parsed(await readAt(size - tailBytes - footerBytes, footerBytes), shown);
    yield { kind: "schema", bytes: schema };
    for (const { offset, length } of dictionaries) yield { kind: "dictionary", bytes: await readAt(offset, length) };
    for (const { offset, length } of batches) yield { kind: "batch", bytes: await readAt(offset, length) };
  } finally {
    await file.close();
  }
}

function parsed(footer: Buffer, shown: string): ReturnType<typeof filePlan> {
  try {
    return filePlan(footer);
  } catch {
    throw notArrow(shown);
  }
}

async function* streamMessages(path: string, shown: string): AsyncGenerator<ArrowMessage, void, undefined> {
  const input = createInput(bytesOf(path), () => notComplete(shown));
  for (;;) {
    const first = (await input.take(4)).readInt32LE(0);
    // Streams of versions before 0.15 have no continuation marker.
    const length = first === -1 ? (await input.take(4)).readInt32LE(0) : first;
    if (length === 0) break;
    if (length < 4 || length > 1 << 30) throw notArrow(shown);
    const metadata = await input.take(length);
    const { headerType, bodyLength } = headOfMessage(metadata, shown);
    const kind = kinds[headerType];
    if (kind === undefined || !(bodyLength >= 0)) throw notArrow(shown);
    const bytes = Buffer.allocUnsafeSlow(prefixBytes + length + bodyLength);
    bytes.writeInt32LE(-1, 0);
    bytes.writeInt32LE(length, 4);
    metadata.copy(bytes, prefixBytes);
    await input.fill(bytes.subarray(prefixBytes + length));
    yield { kind, bytes };
  }
  if (await input.hasBytes())
    throw new SourceError(`Several Arrow streams in one file: ${shown}; write each to a file of its own`);
}

function headOfMessage(metadata: Buffer, shown: string): ReturnType<typeof headOf> {
  try {
    return headOf(metadata);
  } catch {
    throw notArrow(shown);
  }
}

/** Creates a reader of exact numbers of bytes. @param ended returns the error of a file that ends before them */
function createInput(stream: AsyncIterable<Buffer>, ended: () => Error) {
  const chunks = stream[Symbol.asyncIterator]();
  let left: Buffer = Buffer.alloc(0);
  const hasBytes = async (): Promise<boolean> => {
    while (left.length === 0) {
      const { done, value } = await chunks.next();
      if (done === true) return false;
      left = value;
    }
    return true;
  };
  const fill = async (target: Buffer): Promise<void> => {
    for (let at = 0; at < target.length; ) {
      if (!(await hasBytes())) throw ended();
      const copied = left.copy(target, at);
      left = left.subarray(copied);
      at += copied;
    }
  };
  return {
    hasBytes,
    fill,
    async take(length: number): Promise<Buffer> {
      const bytes = Buffer.allocUnsafe(length);
      await fill(bytes);
      return bytes;
    },
    /** Closes the stream. */
    async end(): Promise<void> {
      await chunks.return?.();
    },
  };
}

const notComplete = (shown: string) =>
  new SourceError(`Incomplete Arrow file: ${shown}; write it again, with its footer or end-of-stream marker`);
const notArrow = (shown: string) => new SourceError(`Invalid Arrow IPC file: ${shown}; write it again`);
