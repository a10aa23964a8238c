import { createReadStream } from "node:fs";
import { createGunzip, createZstdDecompress } from "node:zlib";

export type Chunks = AsyncIterable<Buffer>;

/** Bytes at the start of a file from which its form is detected. */
export const headBytes = 1 << 20;
const chunkBytes = 1 << 20;

export function isCompressed(path: string): boolean {
  return /\.(gz|zst)$/i.test(path);
}

/** Yields the bytes of a file, without the compression that its name states. */
export function bytesOf(path: string): Chunks {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  if (/\.gz$/i.test(path)) return file.pipe(createGunzip({ chunkSize: chunkBytes }));
  return /\.zst$/i.test(path) ? file.pipe(createZstdDecompress({ chunkSize: chunkBytes })) : file;
}

export async function firstBytes(chunks: Chunks): Promise<Buffer> {
  const read: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length >= headBytes) break;
  }
  return Buffer.concat(read);
}
