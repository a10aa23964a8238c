import { pipeline } from "node:stream";
import { createGzip, createZstdCompress } from "node:zlib";
import type { Compression } from "./format.ts";

const compressors = { gzip: createGzip, zstd: createZstdCompress } as const;

/** Compresses pieces of a file. Reading throws the error of the pieces. */
export function compressed(
  pieces: AsyncIterable<string | Uint8Array>,
  compression: Compression,
): AsyncIterable<Uint8Array> {
  return pipeline(pieces, compressors[compression](), () => {}); // the reader gets the error
}
