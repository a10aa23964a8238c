import type { LimitIssue } from "./sql-limits.ts";

/** Time after which an upload that no run uses is removed, in milliseconds. */
export const uploadLifetimeMs = 10 * 60_000;

/** Formats of uploaded files. */
export type UploadFormat = "csv" | "json" | "parquet";

/** File of a caller that a run reads as a table. */
export interface RunUpload {
  /** Name of the table. */
  readonly name: string;
  readonly id: string;
  readonly format: UploadFormat;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** Caps on the uploads of a tenant. A missing cap does not limit. */
export interface UploadCaps {
  readonly maxUploads: number;
  readonly maxUploadedBytes: number;
  /** Stored bytes of the tenant, with its uploads, that a new upload must not exceed. */
  readonly maxStoredBytes?: number | undefined;
}

/** Uploads of a tenant. */
export interface UploadCounts {
  readonly uploads: number;
  readonly uploadedBytes: number;
  /** Bytes of its results and uploads. */
  readonly storedBytes: number;
}

/** Reason why an upload is refused. */
export type UploadRefusal =
  | { readonly outcome: "tooManyUploads"; readonly uploads: number; readonly uploadedBytes: number }
  | { readonly outcome: "storageQuotaExceeded"; readonly storedBytes: number; readonly maxStoredBytes: number };

/**
 * Decides whether a tenant may create an upload.
 * @param bytes size that its file may have, which counts from the start
 */
export function uploadRefusal(bytes: number, caps: UploadCaps, counts: UploadCounts): UploadRefusal | undefined {
  const { uploads, uploadedBytes, storedBytes } = counts;
  if (uploads >= caps.maxUploads || uploadedBytes + bytes > caps.maxUploadedBytes)
    return { outcome: "tooManyUploads", uploads, uploadedBytes };
  const { maxStoredBytes } = caps;
  if (maxStoredBytes === undefined || storedBytes + bytes <= maxStoredBytes) return undefined;
  return { outcome: "storageQuotaExceeded", storedBytes, maxStoredBytes };
}

/** Returns the faults of the names of uploaded tables that their schema cannot express. */
export function uploadNameIssues(names: readonly string[]): LimitIssue[] {
  const seen = new Set<string>();
  return names.flatMap((name): LimitIssue[] => {
    const pointer = `/uploads/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const key = name.toLowerCase();
    if (seen.has(key)) return [{ pointer, expected: "names that differ by more than case", received: name }];
    seen.add(key);
    if (/[\p{Cc}\p{Cs}]/u.test(name))
      return [{ pointer, expected: "a name without control characters", received: "one with them" }];
    return [];
  });
}
