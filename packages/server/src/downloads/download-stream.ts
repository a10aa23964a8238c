import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Download } from "@quern/duckdb";

/** Milliseconds without traffic on the connection after which the client is disconnected. */
const idleMs = 60_000;
const slowCheckMs = 60_000;
/**
 * Minimum number of bytes that a client must read in a minute while more are available. A slower client is
 * disconnected, because it occupies one of the few download processes.
 */
const minBytesPerCheck = 1_000_000;

/** Callbacks of {@link sendDownload}. */
export interface DownloadEvents {
  /** Called once with the number of bytes that were sent, also if the download fails after its first bytes. */
  onRead(bytes: number): void;
  /** Called with an error of the download, not of the client. */
  onError(error: unknown): void;
  /** Ends the response after an error. */
  fail(): void;
}

/**
 * Sends a download, and ends it. Disconnects a client whose connection is idle, or that reads too slowly.
 * @param headers sent with the first byte, so that an earlier failure can still change the status
 */
export async function sendDownload(
  { readable, written, end }: Download,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { onRead, onError, fail }: DownloadEvents,
): Promise<void> {
  let bytes = 0;
  response.setTimeout(idleMs, () => response.destroy());
  const stopWatch = watchReader(
    response,
    () => bytes,
    () => response.destroy(),
  );
  try {
    // Wait for the first byte, so that a failure before it is answered with its own status.
    await Promise.race([new Promise((resolve) => readable.once("readable", resolve)), written]);
    response.writeHead(200, headers);
    readable.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
    });
    await Promise.all([pipeline(readable, response, { end: false }), written]).finally(() => onRead(bytes));
    response.end();
  } catch (error) {
    // The client disconnected: the process is ended below, and its error is of no interest.
    if (response.destroyed) written.catch(() => {});
    else onError(error);
    fail();
  } finally {
    stopWatch();
    await end();
  }
}

/**
 * Checks every minute whether a client reads too slowly: data waits for the client, and it has read fewer than
 * {@link minBytesPerCheck} bytes since the last check. Then calls `onSlow` and stops.
 * @returns a function that stops the checks
 */
export function watchReader(
  response: Pick<Writable, "writableNeedDrain">,
  bytesRead: () => number,
  onSlow: () => void,
): () => void {
  let before = bytesRead();
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(check, slowCheckMs).unref();
  };
  const check = (): void => {
    const isSlow = response.writableNeedDrain && bytesRead() - before < minBytesPerCheck;
    before = bytesRead();
    if (isSlow) onSlow();
    else schedule();
  };
  schedule();
  return () => clearTimeout(timer);
}
