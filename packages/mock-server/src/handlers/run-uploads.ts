import type { CreateQueryRunParams } from "@quern/protocol/types";
import { type RunUpload, uploadNameIssues } from "@quern/query-run/upload";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import { declaredError, invalidParams } from "../wire/contract-methods.ts";

/**
 * Returns the uploads of a call; undefined if one of them is missing.
 * @throws InvalidParams for names that a statement cannot tell apart
 */
export function findUploads(
  { uploads: named = {} }: CreateQueryRunParams,
  { uploads, clock }: NamespaceState,
): readonly RunUpload[] | undefined {
  const issues = uploadNameIssues(Object.keys(named));
  if (issues.length > 0) throw invalidParams(issues);
  const found = Object.entries(named).flatMap(([name, id]): RunUpload[] => {
    const upload = uploads.get(id);
    if (upload?.file === undefined || upload.expiresAt <= clock.now()) return [];
    return [{ name, id, format: upload.format, sha256: upload.file }];
  });
  return found.length === Object.keys(named).length ? found : undefined;
}

/** Returns the error of a call whose uploads are missing. */
export function uploadNotFound({ uploads = {} }: CreateQueryRunParams, namespace: NamespaceState): Error {
  const entries = Object.entries(uploads);
  const missing = entries.find(([, id]) => namespace.uploads.get(id)?.file === undefined) ?? entries[0];
  const [name = "", uploadId = ""] = missing ?? [];
  return declaredError("UploadNotFound", { name, uploadId });
}
