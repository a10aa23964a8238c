import { getQueryRunDownload as descriptor } from "@quern/protocol/methods";
import { download } from "#transport";
import { getQueryRunDownload } from "../generated/methods.ts";
import type { DetectingClient } from "../wire/client.ts";
import { whenStopped } from "../wire/deadline.ts";
import { abortError, QuernError } from "../wire/quern-error.ts";

/** Download of a whole result. */
export interface ResultDownload {
  /**
   * Reads the next bytes; undefined after the last ones.
   * @throws {QuernError} `network` if the download is cut, `timeout` or `aborted`.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the download. */
  close(): void;
}

/**
 * Opens the download of a whole result. Each wait for bytes takes at most the `timeoutMs` of the client.
 * @throws {QuernError} of any kind but `failed` and `canceled`; `http` if the link does not return the file.
 */
export async function openDownload(
  client: DetectingClient,
  queryRunId: string,
  format: "arrow" | "ndjson",
  signal: AbortSignal,
): Promise<ResultDownload> {
  const { url, contentType } = await getQueryRunDownload(client, { queryRunId, format }, { signal });
  const { timeoutMs } = client;
  const controller = new AbortController();
  const details = { queryRunId, method: descriptor.name };

  async function within<T>(work: () => Promise<T>): Promise<T> {
    const end = whenStopped({ signal, timeoutMs }, (reason) => controller.abort(reason));
    try {
      return await work();
    } catch (cause) {
      const { aborted, reason } = controller.signal;
      if (aborted) throw Object.assign(abortError(reason, descriptor.name), { queryRunId });
      throw new QuernError("network", `download interrupted: ${(cause as Error).message}`, { ...details, cause });
    } finally {
      end();
    }
  }

  // A service that does not know its own address returns a path.
  const reply = await within(() => download(new URL(url, client.url).href, controller.signal, client.fetch));
  const { status, headers } = reply;
  const type = headers.get("content-type");
  // A proxy may answer 200 with a page of its own.
  if (status !== 200 || mediaType(type) !== mediaType(contentType)) {
    controller.abort();
    throw new QuernError("http", `download failed: HTTP ${status} with ${type}`, { ...details, status });
  }
  return {
    read: async () => (await within(reply.read)).value as Uint8Array | undefined, // undefined with `done`
    close: () => controller.abort(),
  };
}

/** Returns `text/csv` for `text/csv; charset=utf-8`. */
function mediaType(contentType: string | null): string | undefined {
  return contentType?.split(";")[0]?.trim().toLowerCase();
}
