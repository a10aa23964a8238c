import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, getQueryRunDownload, QuernError } from "@quern/client";

type DownloadFormat = "csv" | "ndjson" | "parquet" | "arrow";

/** Longest wait for other downloads to end, in milliseconds. */
const busyMs = 60_000;

/**
 * Opens the download of a whole result. Its bytes are complete, or reading them throws.
 * @throws {QuernError} where the service has no download of the run in this format.
 */
export async function openDownload(
  client: Client,
  queryRunId: string,
  format: DownloadFormat,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { url, contentType } = await getQueryRunDownload(client, { queryRunId, format }, { signal });
  // A service that does not know its own address gives a path.
  const address = new URL(url, client.url);
  const brokenOff = (cause: unknown) =>
    signal.aborted ? cause : new QuernError("network", `the download broke off: ${cause}`, { queryRunId, cause });
  const giveUpAt = performance.now() + busyMs;
  for (;;) {
    const response = await respond(address, signal).catch((cause) => Promise.reject(brokenOff(cause)));
    const { statusCode: status = 0, headers } = response;
    // A page that a proxy or another server answers with is not the result.
    if (status === 200 && mediaType(headers["content-type"]) === mediaType(contentType))
      return bytesOf(response, brokenOff);
    response.destroy();
    const waitMs = Number(headers["retry-after"]) * 1_000;
    if (status !== 503 || !(performance.now() + waitMs < giveUpAt)) {
      const found = status === 200 ? headers["content-type"] : `HTTP ${status}`;
      throw new QuernError("http", `the download was answered with ${found}`, { queryRunId, status });
    }
    await pause(waitMs, undefined, { signal });
  }
}

async function respond(address: URL, signal: AbortSignal): Promise<IncomingMessage> {
  // An import would read all that the module exports, and load Node's `fetch` with it: 40 ms and 15 MB.
  const { get } = process.getBuiltinModule(address.protocol === "https:" ? "node:https" : "node:http");
  // The first argument of the event, which its type does not name.
  const [response] = (await once(get(address, { signal }), "response")) as [IncomingMessage];
  return response;
}

async function* bytesOf(response: IncomingMessage, brokenOff: (cause: unknown) => unknown): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (cause) {
    throw brokenOff(cause);
  }
}

/** `text/csv` of `text/csv; charset=utf-8`. */
function mediaType(contentType = ""): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
