import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Download } from "@quern/duckdb";

const slowCheckMs = 60_000;
/**
 * Minimum number of bytes that a client must read in a minute while more are available. A slower client is
 * disconnected, because it occupies one of the few download processes.
 */
const minBytesPerCheck = 1_000_000;

/** Callbacks of {@link sendDownload}. */
export interface DownloadEvents {
  /** Called before the first byte is sent. If it returns false, it has answered, and nothing is sent. */
  start(): Promise<boolean>;
  /** Called once with the number of bytes that were sent, also if the download fails after its first bytes. */
  onRead(bytes: number): void;
  /** Ends the response after an error of the download, not of the client. */
  onError(error: unknown): void;
}

/**
 * Sends a download, and ends it. Disconnects a client that reads too slowly.
 * @param headers sent with the first byte, so that an earlier failure can still change the status
 */
export async function sendDownload(
  { read, written, end }: Download,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { start, onRead, onError }: DownloadEvents,
): Promise<void> {
  let bytes = 0;
  let isStarted = false;
  // The headers are sent with the first byte, so that a failure before it is answered with its own status.
  let beginning: Promise<boolean> | undefined;
  const begin = (): Promise<boolean> => {
    // Once: the end of the data can come while the first byte waits for `start`.
    beginning ??= start().then((isAllowed) => {
      isStarted = isAllowed;
      if (isAllowed) response.writeHead(200, headers);
      return isAllowed;
    });
    return beginning;
  };
  const stopWatch = watchReader(
    response,
    () => bytes,
    () => response.destroy(),
  );
  try {
    let refuse = (_: false | Promise<never>): void => {};
    const refused = new Promise<false>((resolve) => {
      refuse = resolve;
    });
    const send: Parameters<Download["read"]>[0] = (chunk, release) => {
      bytes += chunk.length;
      response.write(chunk, release);
    };
    const sent = read((chunk, release) => {
      if (response.destroyed) return;
      if (isStarted) return send(chunk, release);
      // The next chunk comes when this one is released.
      begin().then(
        (isAllowed) => (isAllowed ? send(chunk, release) : refuse(false)),
        (error: unknown) => refuse(Promise.reject(error)),
      );
    });
    const whole = Promise.all([sent, written]).then(begin);
    const isSent = await Promise.race([whole, refused, disconnected(response)]).finally(() => {
      if (isStarted) onRead(bytes);
    });
    if (!isSent) return void whole.catch(() => {}); // the process is ended below
    response.end();
  } catch (error) {
    // The client disconnected: the process is ended below, and its error is of no interest.
    if (response.destroyed) written.catch(() => {});
    else onError(error);
  } finally {
    stopWatch();
    await end();
  }
}

/** Rejects when the connection is closed. */
async function disconnected(response: ServerResponse): Promise<never> {
  if (!response.destroyed) await once(response, "close");
  throw new Error("The client disconnected.");
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
