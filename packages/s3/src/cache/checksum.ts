import { createReadStream } from "node:fs";
import { crc32 } from "node:zlib";

/** Returns a CRC-32 as a text of 8 hexadecimal digits. It finds damage, not manipulation. */
export function checksumText(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** Returns the checksum of a file. */
export async function checksumOf(path: string): Promise<string> {
  let crc = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) crc = crc32(chunk as Buffer, crc);
  return checksumText(crc);
}
