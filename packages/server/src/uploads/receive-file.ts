import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { UploadedFile } from "@quern/adapter";

/**
 * Writes the body of a request to a new file, which only the user of the service can read. No more than a part of the
 * body is in memory. The file is removed unless the body is complete and has at most `maxBytes`.
 * @throws if the client disconnects, or the file cannot be written
 */
export async function receiveFile(
  request: IncomingMessage,
  path: string,
  maxBytes: number,
): Promise<UploadedFile | "too large"> {
  const file = await open(path, "wx", 0o600);
  let isKept = false;
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    // The request stays open at an early end, so that the client gets an answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return "too large";
      hash.update(chunk);
      await file.writeFile(chunk); // at the current position, all of it
    }
    if (!request.complete) throw new Error("The client disconnected before the upload was complete.");
    await file.sync();
    isKept = true;
    return { bytes, sha256: hash.digest("hex") };
  } finally {
    await file.close();
    if (!isKept) await rm(path, { force: true });
  }
}
