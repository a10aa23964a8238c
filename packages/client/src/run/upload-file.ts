import { createUpload as descriptor } from "@quern/protocol/methods";
import type { CreateUploadParams } from "@quern/protocol/types";
import { sendFile } from "#transport";
import { createUpload } from "../generated/methods.ts";
import { type FileBytes, sizeOf } from "../transport/transport.ts";
import type { Client, DetectingClient } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import { abortError, QuernError } from "../wire/quern-error.ts";

/** Options of `uploadFile`. `timeoutMs` is 300,000 (5 minutes) by default. */
export interface UploadFileOptions extends DeadlineOptions {
  readonly format: CreateUploadParams["format"];
  /**
   * Size of the file in bytes. Without it, an upload of a stream counts with the maximum size of the service until it is
   * complete.
   * @default the size of a `Blob` or `Uint8Array`
   */
  readonly bytes?: number | undefined;
}

const defaultTimeoutMs = 300_000;

/**
 * Uploads a CSV, JSON or Parquet file, which one query can read as a table: `query(client, { sql, uploads: { regions: id } })`.
 * Node sends a stream part by part; a browser joins the parts first. A file that no query uses is removed after 10 minutes.
 * @returns the id of the upload.
 * @throws {QuernError} of any kind but `failed` and `canceled`; `http` if the service refuses the file.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/create-upload.md
 */
export function uploadFile(
  client: Client,
  file: FileBytes,
  { format, bytes = sizeOf(file), timeoutMs = defaultTimeoutMs, signal }: UploadFileOptions,
): Promise<string> {
  const { fetch } = client as DetectingClient; // made by `createClient`
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    const size = bytes === undefined ? {} : { bytes };
    const { uploadId, url } = await createUpload(client, { format, ...size }, { signal });
    // A service that does not know its own address returns a path.
    const address = new URL(url, client.url).href;
    const { status, text } = await sendFile(address, file, signal, fetch).catch((cause: Error) => {
      if (signal.aborted) throw abortError(signal.reason, descriptor.name);
      throw new QuernError("network", `upload interrupted: ${cause.message}`, { method: descriptor.name, cause });
    });
    if (status === 204) return uploadId;
    const details = { method: descriptor.name, status };
    throw new QuernError("http", `upload failed: HTTP ${status}${reasonOf(text)}`, details);
  });
}

/** Returns the message of the error in a response; nothing for that of a proxy. */
function reasonOf(text: string): string {
  try {
    return `: ${JSON.parse(text).error.message}`;
  } catch {
    return "";
  }
}
