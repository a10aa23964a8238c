import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { UploadRecord, UploadStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { type UploadFormat, uploadRefusal } from "@quern/query-run/upload";
import type { Commits } from "./group-commit.ts";

export function createSqliteUploadStore(database: DatabaseSync, commits: Commits, now: () => Instant): UploadStore {
  const one = database.prepare("SELECT * FROM uploads WHERE id = ?");
  const count = database.prepare(
    `SELECT count(*) AS uploads, coalesce(sum(bytes), 0) AS uploadedBytes,
      coalesce((SELECT bytes FROM stored_bytes WHERE tenant_id = ?1), 0) AS storedBytes
     FROM uploads WHERE tenant_id = ?1`,
  );
  const insert = database.prepare(
    "INSERT INTO uploads (id, tenant_id, user_id, format, bytes, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const complete = database.prepare(
    "UPDATE uploads SET bytes = ?, sha256 = ? WHERE id = ? AND sha256 IS NULL AND expires_at > ?",
  );
  const isFree = database.prepare(
    "SELECT 1 FROM uploads WHERE id = ? AND sha256 IS NOT NULL AND run_id IS NULL AND expires_at > ?",
  );
  const bind = database.prepare("UPDATE uploads SET run_id = ? WHERE id = ?");
  const unbind = database.prepare("UPDATE uploads SET run_id = NULL WHERE run_id = ?");
  const remove = database.prepare("DELETE FROM uploads WHERE id = ?");
  const unneeded = database.prepare(
    `SELECT uploads.* FROM uploads LEFT JOIN runs ON runs.id = uploads.run_id
     WHERE (runs.id IS NULL AND uploads.expires_at <= ?) OR runs.ended_at IS NOT NULL`,
  );
  const ofUser = database.prepare("SELECT * FROM uploads WHERE tenant_id = ? AND user_id = ?");
  return {
    create: ({ id, tenantId, userId, format, maxBytes, lifetimeMs }, caps) =>
      commits.change(() => {
        const { uploads, uploadedBytes, storedBytes } = count.get(tenantId) ?? {};
        const counts = {
          uploads: Number(uploads),
          uploadedBytes: Number(uploadedBytes),
          storedBytes: Number(storedBytes),
        };
        const refusal = uploadRefusal(maxBytes, caps, counts);
        if (refusal !== undefined) return refusal;
        const expiresAt = now() + lifetimeMs;
        insert.run(id, tenantId, userId, format, maxBytes, expiresAt);
        return { expiresAt };
      }),
    find: async (id) => {
      const row = one.get(id);
      return row && toUpload(row);
    },
    complete: (id, { bytes, sha256 }) => commits.change(() => complete.run(bytes, sha256, id, now()).changes === 1),
    bind: (ids, runId) =>
      commits.change(() => {
        if (!ids.every((id) => isFree.get(id, now()) !== undefined)) return false;
        for (const id of ids) bind.run(runId, id);
        return true;
      }),
    unbind: (runId) => commits.change(() => void unbind.run(runId)),
    remove: (id) => commits.change(() => void remove.run(id)),
    unneeded: async () => unneeded.all(now()).map(toUpload),
    ofUser: async ({ tenantId, userId }) => ofUser.all(tenantId, userId).map(toUpload),
  };
}

function toUpload(row: Record<string, SQLOutputValue>): UploadRecord {
  const { id, tenant_id, user_id, format, bytes, sha256, run_id, expires_at } = row;
  return {
    id: String(id),
    tenantId: String(tenant_id),
    userId: String(user_id),
    format: String(format) as UploadFormat, // only this store writes it
    file: sha256 === null ? null : { bytes: Number(bytes), sha256: String(sha256) },
    runId: run_id === null ? null : String(run_id),
    expiresAt: Number(expires_at),
  };
}
