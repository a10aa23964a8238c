import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, getQueryRunDownload, QuernError } from "@quern/client";

type DownloadFormat = "csv" | "ndjson" | "parquet" | "arrow";

/** Longest wait for a busy service (HTTP 503), in milliseconds. */
const busyMs = 60_000;

/**
 * Opens the download of a whole result. Reading it throws unless all bytes arrive.
 * @throws {QuernError} The service has no download of the run in this format, or cannot be reached.
 */
export async function openDownload(
  client: Client,
  queryRunId: string,
  format: DownloadFormat,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { url, contentType } = await getQueryRunDownload(client, { queryRunId, format }, { signal });
  // A service that does not know its own address returns a path.
  const address = new URL(url, client.url);
  const downloadError = (cause: unknown) =>
    signal.aborted
      ? cause
      : new QuernError("network", `download interrupted: ${reasonOf(cause)}`, { queryRunId, cause });
  const giveUpAt = performance.now() + busyMs;
  for (;;) {
    const response = await respond(address, signal).catch((cause) => Promise.reject(downloadError(cause)));
    const { statusCode: status = 0, headers } = response;
    // A proxy may answer 200 with a page of its own: the content type tells it from the result.
    if (status === 200 && mediaType(headers["content-type"]) === mediaType(contentType))
      return bytesOf(response, downloadError);
    response.destroy();
    const waitMs = Number(headers["retry-after"]) * 1_000;
    if (status !== 503 || !(performance.now() + waitMs < giveUpAt)) {
      const type = status === 200 ? ` with ${headers["content-type"] ?? "no content type"}` : "";
      throw new QuernError("http", `download failed: the service answered HTTP ${status}${type}`, {
        queryRunId,
        status,
      });
    }
    await pause(waitMs, undefined, { signal });
  }
}

async function respond(address: URL, signal: AbortSignal): Promise<IncomingMessage> {
  // `import` would evaluate all exports of the module, and load Node's `fetch` with them: 40 ms and 15 MB.
  const { get } = process.getBuiltinModule(address.protocol === "https:" ? "node:https" : "node:http");
  // `once` does not declare the type of the event's arguments.
  const [response] = (await once(get(address, { signal }), "response")) as [IncomingMessage];
  return response;
}

async function* bytesOf(
  response: IncomingMessage,
  downloadError: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (cause) {
    throw downloadError(cause);
  }
}

/** Returns the first failure of a host with several addresses, whose own error has no message. */
function reasonOf(cause: unknown): unknown {
  return cause instanceof AggregateError ? cause.errors[0] : cause;
}

/** Returns `text/csv` for `text/csv; charset=utf-8`. */
function mediaType(contentType = ""): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
