import type { Instant } from "@quern/query-run/record";
import type { UploadCaps, UploadFormat, UploadRefusal } from "@quern/query-run/upload";
import type { UserOfTenant } from "./run-store.ts";

/** File of an upload that is complete. */
export interface UploadedFile {
  readonly bytes: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

export interface NewUpload extends UserOfTenant {
  readonly id: string;
  readonly format: UploadFormat;
  /** Size that the file may have, which counts until the file is complete. */
  readonly maxBytes: number;
  /** Time after which the upload is removed, unless a run uses it, in milliseconds. */
  readonly lifetimeMs: number;
}

/** Upload of a user. */
export interface UploadRecord extends UserOfTenant {
  readonly id: string;
  readonly format: UploadFormat;
  /** Null until the file is complete. */
  readonly file: UploadedFile | null;
  /** Run that uses the upload; null if none does. */
  readonly runId: string | null;
  readonly expiresAt: Instant;
}

/** Records of uploads, without their files. The clock of the store decides when an upload expires. */
export interface UploadStore {
  /** Creates an upload, unless it would exceed a cap of its tenant. */
  create(upload: NewUpload, caps: UploadCaps): Promise<UploadRefusal | { readonly expiresAt: Instant }>;
  find(id: string): Promise<UploadRecord | undefined>;
  /** Records that the file is complete. Returns false if it already was, or if the upload has expired or is unknown. */
  complete(id: string, file: UploadedFile): Promise<boolean>;
  /**
   * Binds complete uploads to a run, all or none, so that no other run can use them. Returns false if one of them is
   * incomplete, unknown, expired or bound.
   */
  bind(ids: readonly string[], runId: string): Promise<boolean>;
  /** Lets another run use the uploads of a run that was not created. */
  unbind(runId: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Lists the uploads whose run has ended, and those that have expired without a run. */
  unneeded(): Promise<readonly UploadRecord[]>;
  ofUser(user: UserOfTenant): Promise<readonly UploadRecord[]>;
}
