import type { UploadRecord, UploadStore } from "@quern/adapter";
import { type UploadFormat, uploadRefusal } from "@quern/query-run/upload";
import type { Database, Row } from "./database.ts";
import { lockTenant } from "./submission-facts.ts";

const count = `
  SELECT count(*) AS uploads, coalesce(sum(stored_bytes), 0) AS uploaded_bytes,
    coalesce((SELECT bytes FROM stored_bytes WHERE tenant_id = $1), 0) AS stored_bytes
  FROM uploads WHERE tenant_id = $1`;

const insert = `
  INSERT INTO uploads (id, tenant_id, user_id, format, stored_bytes, expires_at)
  VALUES ($1, $2, $3, $4, $5, now_ms() + $6) RETURNING expires_at`;

const complete = `
  UPDATE uploads SET stored_bytes = $2, sha256 = $3
  WHERE id = $1 AND sha256 IS NULL AND expires_at > now_ms() RETURNING 1`;

/** Locks the uploads in one order, so that two runs that name the same ones do not wait for each other. */
const free = `
  SELECT id FROM uploads
  WHERE id = ANY($1) AND sha256 IS NOT NULL AND run_id IS NULL AND expires_at > now_ms() ORDER BY id FOR UPDATE`;

const unneeded = `
  SELECT uploads.* FROM uploads LEFT JOIN runs ON runs.id = uploads.run_id
  WHERE (runs.id IS NULL AND uploads.expires_at <= now_ms()) OR runs.ended_at IS NOT NULL`;

export function createPostgresUploadStore(database: Database): UploadStore {
  return {
    create: ({ id, tenantId, userId, format, maxBytes, lifetimeMs }, caps) =>
      database.transaction(async (queries) => {
        await lockTenant(queries, tenantId);
        const [row] = await queries.rows(count, tenantId);
        const refusal = uploadRefusal(maxBytes, caps, {
          uploads: Number(row?.uploads),
          uploadedBytes: Number(row?.uploaded_bytes),
          storedBytes: Number(row?.stored_bytes),
        });
        if (refusal !== undefined) return refusal;
        const [created] = await queries.lastRows(insert, id, tenantId, userId, format, maxBytes, lifetimeMs);
        return { expiresAt: Number(created?.expires_at) };
      }),
    async find(id) {
      const [row] = await database.rows("SELECT * FROM uploads WHERE id = $1", id);
      return row && toUpload(row);
    },
    complete: async (id, { bytes, sha256 }) => (await database.rows(complete, id, bytes, sha256)).length === 1,
    bind: (ids, runId) =>
      database.transaction(async (queries) => {
        const distinct = [...new Set(ids)];
        if ((await queries.rows(free, distinct)).length !== distinct.length) return false;
        await queries.lastRows("UPDATE uploads SET run_id = $2 WHERE id = ANY($1)", distinct, runId);
        return true;
      }),
    async unbind(runId) {
      await database.rows("UPDATE uploads SET run_id = NULL WHERE run_id = $1", runId);
    },
    async remove(id) {
      await database.rows("DELETE FROM uploads WHERE id = $1", id);
    },
    unneeded: async () => (await database.rows(unneeded)).map(toUpload),
    ofUser: async ({ tenantId, userId }) =>
      (await database.rows("SELECT * FROM uploads WHERE tenant_id = $1 AND user_id = $2", tenantId, userId)).map(
        toUpload,
      ),
  };
}

function toUpload(row: Row): UploadRecord {
  const { id, tenant_id, user_id, format, stored_bytes, sha256, run_id, expires_at } = row;
  return {
    id: String(id),
    tenantId: String(tenant_id),
    userId: String(user_id),
    format: String(format) as UploadFormat, // only this package writes it
    file: sha256 === null ? null : { bytes: Number(stored_bytes), sha256: String(sha256) },
    runId: run_id === null ? null : String(run_id),
    expiresAt: Number(expires_at),
  };
}
