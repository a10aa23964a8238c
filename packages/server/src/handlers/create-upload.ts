import { randomBytes } from "node:crypto";
import type { CreateUploadParams, CreateUploadResult } from "@quern/protocol/types";
import { uploadLifetimeMs } from "@quern/query-run/upload";
import { timestamp } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { storageFull } from "../common/method-errors.ts";
import { baseUrlOf } from "../common/request-context.ts";
import { uploadPath } from "../uploads/upload-route.ts";
import type { Context, Service } from "./context.ts";

type Dependencies = Pick<
  Service,
  "disk" | "limits" | "limitsOf" | "publicUrl" | "store" | "telemetry" | "uploadLinks" | "uploads"
>;

export async function createUpload(
  { format, bytes }: CreateUploadParams,
  context: Context,
  { disk, limits, limitsOf, publicUrl, store, telemetry, uploadLinks, uploads }: Dependencies,
): Promise<CreateUploadResult> {
  const { tenantId, userId, apiKeyId } = context.principal;
  const { maxUploads, maxUploadedBytes, maxUploadBytes } = limits;
  if (bytes !== undefined && bytes > maxUploadBytes)
    throw invalidParams([{ pointer: "/bytes", expected: `at most ${maxUploadBytes} bytes`, received: String(bytes) }]);
  if (!(await disk.hasSpace())) throw storageFull();
  const maxBytes = bytes ?? maxUploadBytes;
  const { maxStoredBytes } = await limitsOf(tenantId);
  const uploadId = `upload_${randomBytes(12).toString("hex")}`;
  const upload = { id: uploadId, tenantId, userId, format, maxBytes, lifetimeMs: uploadLifetimeMs };
  const caps = { maxUploads: uploads.isAvailable ? maxUploads : 0, maxUploadedBytes, maxStoredBytes };
  const created = await store.uploads.create(upload, caps);
  if (!("expiresAt" in created)) {
    const { outcome, ...counts } = created;
    if (outcome === "storageQuotaExceeded") throw declaredError("StorageQuotaExceeded", counts);
    throw declaredError("TooManyUploads", { ...counts, maxUploads: caps.maxUploads, maxUploadedBytes });
  }
  const { expiresAt } = created;
  const token = await uploadLinks.token({ uploadId, maxBytes, expiresAt, caller: { tenantId, userId, apiKeyId } });
  telemetry.audited(context, "upload.create", { uploadId, format });
  return {
    uploadId,
    url: `${publicUrl ?? baseUrlOf(context.headers)}${uploadPath}${token}`,
    expiresAt: timestamp(expiresAt),
    maxBytes,
  };
}
