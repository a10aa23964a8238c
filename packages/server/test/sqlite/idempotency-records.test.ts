import type { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { hashOfKey, prepareIdempotencyWrite, readIdempotencyRecords } from "../../src/sqlite/idempotency-records.ts";

let database: DatabaseSync;
beforeEach(() => {
  database = openDatabase(":memory:");
  return () => database.close();
});

interface Request {
  readonly key?: string | null;
  readonly apiKeyId?: string | null;
  readonly bodyHash?: string | null;
  readonly createdAt?: number;
}

function request(id: string, { key = "k", apiKeyId = "caller", bodyHash = "body", createdAt = 5 }: Request = {}): void {
  const record = { id, queryRunId: "run_1", sqlStatementId: "st_1", userId: "ann", idempotencyKey: key, createdAt };
  database
    .prepare("INSERT INTO requests (id, record, api_key_id, body_hash) VALUES (?, ?, ?, ?)")
    .run(id, JSON.stringify(record), apiKeyId, bodyHash);
}

const withdraw = (key: string, at: number, apiKeyId = "caller") =>
  database
    .prepare("INSERT INTO withdrawn_keys (api_key_id, key_hash, withdrawn_at) VALUES (?, ?, ?)")
    .run(apiKeyId, hashOfKey(key), at);

const used = (requestId: string, createdAt: number, apiKeyId = "caller") => ({
  apiKeyId,
  keyHash: hashOfKey("k"),
  createdAt,
  bodyHash: "body",
  requestId,
});
const withdrawn = (createdAt: number, apiKeyId = "caller") => ({
  apiKeyId,
  keyHash: hashOfKey("k"),
  createdAt,
  bodyHash: null,
  requestId: null,
});
const read = () => [...readIdempotencyRecords(database)];

it("yields the last request of each key and caller", () => {
  request("first", { createdAt: 5 });
  request("last", { createdAt: 7 });
  request("of another", { apiKeyId: "other", createdAt: 6 });
  expect(read()).toEqual([used("last", 7), used("of another", 6, "other")]);
});

it("yields no request without a key, a caller or the hash of its body", () => {
  request("without key", { key: null });
  request("without caller", { apiKeyId: null });
  request("moved", { bodyHash: null });
  expect(read()).toEqual([]);
});

it("yields the later one of a request and a withdrawal", () => {
  request("before", { createdAt: 5 });
  withdraw("k", 6);
  expect(read()).toEqual([withdrawn(6)]);
  request("after", { createdAt: 6 });
  expect(read()).toEqual([used("after", 6)]);
});

it("tells the withdrawals of callers apart", () => {
  request("of one", { createdAt: 5 });
  withdraw("k", 6, "other");
  expect(read()).toEqual([used("of one", 5), withdrawn(6, "other")]);
});

it("writes the hash of a body to its request, and a withdrawal unless it is known", () => {
  request("req_1", { bodyHash: null });
  const write = prepareIdempotencyWrite(database);
  write(used("req_1", 5));
  write(withdrawn(3, "other"));
  write(withdrawn(4, "other"));
  expect(read()).toEqual([used("req_1", 5), withdrawn(3, "other")]);
  expect(database.prepare("SELECT key_hash FROM withdrawn_keys").all()).toEqual([{ key_hash: hashOfKey("k") }]);
});
