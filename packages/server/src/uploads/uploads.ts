import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { StatementError, type Store, type UploadedTable, type UploadFiles } from "@quern/adapter";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { RunUpload } from "@quern/query-run/upload";
import { ownerOnly } from "../common/data-directory.ts";
import type { Log } from "../common/log.ts";
import type { KnownCaller } from "../identity/principal.ts";
import { receiveFile } from "./receive-file.ts";

/** Outcome of a PUT. */
export type Receipt = "stored" | "too large" | "in progress" | "sent before" | "gone";

/** Uploaded files of a run on this machine. */
export interface OpenedUploads {
  readonly tables: readonly UploadedTable[] | undefined;
  /** Removes what was made for this attempt. */
  release(): Promise<void>;
}

/** Upload that a call names, or the first one that its run cannot use. */
export type NamedUploads =
  | { readonly uploads: readonly RunUpload[] }
  | { readonly missing: { readonly name: string; readonly uploadId: string } };

/** Files that callers upload for one run each. */
export interface Uploads {
  /** False if servers share a store, and their storage keeps no uploads. */
  readonly isAvailable: boolean;
  /** Stores the body of a request as the file of an upload. @throws if the client disconnects */
  receive(id: string, request: IncomingMessage, maxBytes: number): Promise<Receipt>;
  /** Finds complete uploads of a user that no run uses. */
  find(named: Readonly<Record<string, string>>, user: Omit<KnownCaller, "apiKeyId">): Promise<NamedUploads>;
  /** Provides the files of a run. @throws {StatementError} UploadNotFound */
  open(run: RunRecord): Promise<OpenedUploads>;
  /** Removes uploads with their files. A failure is logged, and the sweep removes them later. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes the uploads whose run has ended, those that have expired, and files of no upload. */
  sweep(): Promise<void>;
}

export interface UploadsOptions {
  readonly store: Pick<Store, "uploads" | "runs">;
  /** Undefined refuses uploads. */
  readonly files: UploadFiles | undefined;
  /** Directory of files that are being received or read, which is empty when the server starts. */
  readonly workDirectory: string;
  readonly log: Log;
}

/** Creates the uploads of a server. */
export async function createUploads({ store, files, workDirectory, log }: UploadsOptions): Promise<Uploads> {
  const directory = join(workDirectory, "uploads");
  await mkdir(directory, ownerOnly);
  const receiving = new Set<string>();
  const temporaryPath = (): string => join(directory, randomBytes(12).toString("hex"));

  async function receive(id: string, request: IncomingMessage, maxBytes: number): Promise<Receipt> {
    const upload = await store.uploads.find(id);
    if (upload === undefined || files === undefined) return "gone";
    if (upload.file !== null) return "sent before";
    const path = temporaryPath();
    const received = await receiveFile(request, path, maxBytes);
    if (received === "too large") return received;
    try {
      if (!(await files.add(id, path))) return "sent before";
      if (await store.uploads.complete(id, received)) return "stored";
      // It has expired meanwhile.
      await files.remove(id);
      return "gone";
    } finally {
      await rm(path, { force: true });
    }
  }

  async function removeOne(id: string): Promise<void> {
    // The record goes last: as long as it exists, the sweep finds the file.
    await files?.remove(id);
    await store.uploads.remove(id);
  }

  return {
    isAvailable: files !== undefined,
    async receive(id, request, maxBytes) {
      if (receiving.has(id)) return "in progress";
      receiving.add(id);
      try {
        return await receive(id, request, maxBytes);
      } finally {
        receiving.delete(id);
      }
    },
    async find(named, { tenantId, userId }) {
      const uploads: RunUpload[] = [];
      for (const [name, uploadId] of Object.entries(named)) {
        const found = await store.uploads.find(uploadId);
        const isOwn = found?.tenantId === tenantId && found.userId === userId;
        if (!isOwn || found.file === null || found.runId !== null) return { missing: { name, uploadId } };
        const { id, format, file } = found;
        uploads.push({ name, id, format, sha256: file.sha256 });
      }
      return { uploads };
    },
    async open({ uploads }) {
      if (uploads === undefined) return { tables: undefined, release: async () => {} };
      const tables: UploadedTable[] = [];
      const release = async (): Promise<void> => {
        for (const { path } of tables) await rm(path, { force: true });
      };
      try {
        for (const { name, id, format } of uploads) {
          const path = temporaryPath();
          if (files === undefined || !(await files.fetch(id, path))) throw uploadGone(name);
          tables.push({ name, format, path });
        }
      } catch (error) {
        await release();
        throw error;
      }
      return { tables, release };
    },
    async remove(ids) {
      for (const id of new Set(ids))
        await removeOne(id).catch((error: unknown) => log.error(`the upload ${id} could not be removed`, error));
    },
    async sweep() {
      for (const { id } of await store.uploads.unneeded()) await removeOne(id);
      await files?.sweep(async (id) => (await store.uploads.find(id)) !== undefined);
    },
  };
}

/** Returns the ids of the uploads of a run that has ended. */
export function uploadsOfEnded({ state, uploads = [] }: RunRecord): readonly string[] {
  return isFinal(state) ? uploads.map(({ id }) => id) : [];
}

function uploadGone(name: string): StatementError {
  return new StatementError({
    name: "UploadNotFound",
    message: `The file of the table ${JSON.stringify(name)} no longer exists; upload it again, and run the query again.`,
    data: { category: "USER", retryable: false },
  });
}
