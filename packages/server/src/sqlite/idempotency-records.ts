import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyRecord } from "@quern/adapter";

/** Returns the SHA-256 of an idempotency key, as `withdrawn_keys` has it. */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Yields the last use of each idempotency key. Of a request and a withdrawal, the later one counts. */
export function* readIdempotencyRecords(database: DatabaseSync): Generator<IdempotencyRecord> {
  // A request that moved here after another one had used its key has no hash of its body.
  const requests = database.prepare(
    `SELECT id, api_key_id, idempotency_key, body_hash, created_at FROM requests
      WHERE idempotency_key IS NOT NULL AND api_key_id IS NOT NULL AND body_hash IS NOT NULL
      ORDER BY api_key_id, idempotency_key, created_at DESC`,
  );
  const withdrawnAt = database.prepare(
    "SELECT withdrawn_at AS at FROM withdrawn_keys WHERE api_key_id = ? AND key_hash = ?",
  );
  /** Withdrawn keys that a request used later. Their number is bounded, because withdrawn keys are removed after a day. */
  const reused = new Set<string>();
  let last = "";
  for (const row of requests.iterate()) {
    const [apiKeyId, key, createdAt] = [String(row.api_key_id), String(row.idempotency_key), Number(row.created_at)];
    const keyHash = hashOfKey(key);
    const id = JSON.stringify([apiKeyId, keyHash]);
    if (id === last) continue;
    last = id;
    const withdrawn = withdrawnAt.get(apiKeyId, keyHash)?.at ?? null;
    if (withdrawn !== null && Number(withdrawn) > createdAt) continue;
    if (withdrawn !== null) reused.add(id);
    yield { apiKeyId, keyHash, createdAt, bodyHash: String(row.body_hash), requestId: String(row.id) };
  }
  const withdrawals = database.prepare("SELECT api_key_id, key_hash, withdrawn_at FROM withdrawn_keys");
  for (const row of withdrawals.iterate()) {
    const [apiKeyId, keyHash] = [String(row.api_key_id), String(row.key_hash)];
    if (reused.has(JSON.stringify([apiKeyId, keyHash]))) continue;
    yield { apiKeyId, keyHash, createdAt: Number(row.withdrawn_at), bodyHash: null, requestId: null };
  }
}

/** Prepares a function that writes the last use of an idempotency key, whose request is stored. */
export function prepareIdempotencyWrite(database: DatabaseSync): (record: IdempotencyRecord) => void {
  const used = database.prepare("UPDATE requests SET body_hash = ? WHERE id = ?");
  const withdrawn = database.prepare(
    "INSERT INTO withdrawn_keys (api_key_id, key_hash, withdrawn_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  return ({ apiKeyId, keyHash, createdAt, bodyHash, requestId }) => {
    if (requestId === null) withdrawn.run(apiKeyId, keyHash, createdAt);
    else used.run(bodyHash, requestId);
  };
}
