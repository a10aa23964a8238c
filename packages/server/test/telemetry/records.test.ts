import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { issueKey, revokeKey, verifyAudit } from "@quern/server/administration";
import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { createLog } from "../../src/common/log.ts";
import { startServer } from "../fixture.ts";
import { caller, callWith } from "../identity/callers.ts";

const engine = oneProcessOfFile();

it("log and audit log say who did what, and hold no key, no row and no SQL", async () => {
  const lines: string[] = [];
  await using server = await startServer({
    log: createLog({ write: (line) => lines.push(line) }),
    trustedProxy: true,
    kind: engine(),
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const headers = { traceparent, "x-forwarded-for": "6.6.6.6, 192.0.2.7", "x-request-id": "req-1" };
  const { call, key, keyId } = await caller(server, { tenant: "acme", user: "ann", scopes: ["run", "read"] });

  const sql = "select 'row-secret' as word";
  for (const _ of ["first", "repeated"])
    await call("createQueryRun", { sql, waitSeconds: 20, idempotencyKey: "once" }, headers);
  const reused = await call("createQueryRun", { sql, maxAgeMinutes: 60 }, headers);
  const { queryRun } = reused.result as { queryRun: { id: string; sqlStatementId: string } };
  await call("getQueryRunResults", { queryRunId: queryRun.id }, headers);
  await call("cancelQueryRun", { queryRunId: queryRun.id }, headers);
  // The engine quotes the value in its message.
  await call("createQueryRun", { sql: "select 'cast-secret'::int", waitSeconds: 20 }, headers);
  await call("describeQuery", { sql }, headers);
  await call("getSqlStatement", { sqlStatementId: queryRun.sqlStatementId }, headers);
  const { url } = (await call("getQueryRunDownload", { queryRunId: queryRun.id, format: "csv" }, headers))
    .result as unknown as { url: string };
  await fetch(url, { method: "HEAD" });
  const bytes = (await (await fetch(url, { headers })).arrayBuffer()).byteLength;
  await fetch(`${url}x`, { headers });
  await callWith(server.url, { "x-api-key": `${key}-wrong`, ...headers }, {});
  await revokeKey(server.dataDir, keyId);
  await call("listQueryRuns", {}, headers);

  const audit = await readFile(join(server.dataDir, "audit.jsonl"), "utf8");
  const events = audit
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const who = {
    tenantId: "acme",
    userId: "ann",
    keyId,
    address: "192.0.2.7",
    requestId: "req-1",
    time: expect.stringMatching(/Z$/),
  };
  const statementHash = expect.stringMatching(/^[0-9a-f]{64}$/);
  const run = { runId: queryRun.id };
  const nobody = { tenantId: null, userId: null, keyId: null, address: "192.0.2.7", requestId: "req-1" };
  expect(events).toMatchObject([
    { action: "key.issue", issuedKeyId: keyId, address: "local" },
    { ...who, ...run, action: "run.create", statementHash, source: "test", outcome: "ran" },
    { ...who, ...run, action: "run.create", statementHash, source: "test", outcome: "reused" },
    { ...who, ...run, action: "run.create", statementHash, source: "test", outcome: "reused" },
    { ...who, ...run, action: "result.read", format: "csv", bytes: expect.any(Number) },
    { ...who, action: "access.refused", method: "cancelQueryRun", scope: "cancel" },
    { ...who, action: "run.create", outcome: "ran" },
    { ...who, action: "query.describe", statementHash, source: "test" },
    { ...who, action: "statement.read", statementId: queryRun.sqlStatementId, statementHash },
    { ...who, ...run, action: "result.link", format: "csv" },
    { ...who, ...run, action: "result.read", format: "csv", bytes },
    { action: "access.refused", link: true, ...nobody },
    { action: "access.refused", httpStatus: 401, ...nobody },
    { action: "key.revoke", endedKeyId: keyId },
    { ...who, action: "access.refused", httpStatus: 401 },
  ]);

  const log = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "run ended");
  expect(log).toMatchObject([
    {
      level: "info",
      msg: "run ended",
      ...run,
      state: "QUERY_STATE_SUCCESS",
      tenantId: "acme",
      userId: "ann",
      traceparent,
    },
    { level: "info", msg: "run ended", state: "QUERY_STATE_FAILED", errorName: expect.any(String), traceparent },
  ]);
  for (const secret of [key, key.slice(12), "row-secret", "cast-secret", "select"])
    for (const text of [audit, lines.join("")]) expect(text).not.toContain(secret);
});

it("a log redacts texts in the form of a key or a token", () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const key = `qk_0123abcd_${"x".repeat(43)}`;
  log.error(`refused ${key}`, new Error(`no ${key}, no eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln`));
  expect(lines.join("")).not.toMatch(/x{5}|eyJ/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", msg: "refused [key]", err: { type: "Error" } });
});

it("the audit log can be read by its owner alone, and is only appended to", async () => {
  const { stat } = await import("node:fs/promises");
  await using server = await startServer({ kind: engine() });
  const file = join(server.dataDir, "audit.jsonl");
  await server.run("select 1");
  const before = await readFile(file, "utf8");
  if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
  await server.stop();
  await using again = await startServer({ dataDir: server.dataDir, kind: engine() });
  await again.run("select 2");
  expect(await readFile(file, "utf8")).toMatch(new RegExp(`^${before.replace(/[^\w\s]/g, "\\$&")}.+\n$`));
});

it("closes files of the audit log while it serves calls, and loses no line", async () => {
  const audit = { maxFileBytes: 3_000 };
  await using server = await startServer({ kind: engine(), audit });
  const { id } = await server.run("select 1");
  const calls = Array.from({ length: 40 }, () => server.results({ queryRunId: id }));
  const keys = Promise.all(Array.from({ length: 5 }, () => issueKey({ dataDir: server.dataDir, user: "ann" })));
  await Promise.all([...calls, keys, callWith(server.url, { "x-api-key": "wrong" }, {})]);
  const { isIntact, files, lines, faults } = await verifyAudit({ dataDir: server.dataDir });
  // One create, 40 pages, 5 keys and one refusal.
  expect({ isIntact, lines, faults }).toEqual({ isIntact: true, lines: 47, faults: [] });
  expect(files.length).toBeGreaterThan(3);
});
