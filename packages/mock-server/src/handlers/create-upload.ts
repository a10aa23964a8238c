import type { CreateUploadParams, CreateUploadResult } from "@quern/protocol/types";
import { uploadLifetimeMs } from "@quern/query-run/upload";
import { timestamp } from "@quern/query-run/wire";
import { uploadPath } from "../wire/addresses.ts";
import type { Context } from "./lookup.ts";

/** Maximum size of a file, as services have it by default. */
const defaultMaxBytes = 100_000_000;

/** Returns an address for a file. It is relative to the address of the mock, which does not know where it is reached. */
export async function createUpload(
  { format, bytes: maxBytes = defaultMaxBytes }: CreateUploadParams,
  { principal }: Context,
): Promise<CreateUploadResult> {
  const token = crypto.randomUUID();
  const uploadId = `upload_${token}`;
  const expiresAt = principal.clock.now() + uploadLifetimeMs;
  principal.uploads.set(uploadId, { format, maxBytes, expiresAt, file: undefined });
  return { uploadId, url: `${uploadPath}${token}`, expiresAt: timestamp(expiresAt), maxBytes };
}
