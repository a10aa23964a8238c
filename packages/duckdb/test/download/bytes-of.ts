import type { Download } from "../../src/download/downloads.ts";

/** Reads a download to its end. */
export async function bytesOf({ read, written }: Pick<Download, "read" | "written">): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const whole = read((chunk, release) => {
    chunks.push(Uint8Array.from(chunk)); // a copy, because the next bytes use the same memory
    release();
  });
  await Promise.all([whole, written]);
  return Buffer.concat(chunks);
}
