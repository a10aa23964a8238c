import { once } from "node:events";
import { request } from "node:http";
import type { SourceKind } from "@quern/adapter";
import type { CreateUploadResult } from "@quern/protocol/types";
import { eraseUser } from "@quern/server/administration";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  createGate,
  createTestClient,
  createTestClock,
  idleKind,
  startServer,
  temporaryDirectory,
} from "../fixture.ts";
import { caller } from "../identity/callers.ts";
import { filesOf, put, readingKind, upload } from "./fixture.ts";

const csv = "n\n1\n2\n";
const sql = "from t";
const read = [["t", csv]];
const minuteMs = 60_000;

it("counts against the caps of its tenant until its run has ended", async () => {
  const limits = { maxUploads: 3, maxUploadBytes: 100, maxUploadedBytes: 120 };
  await using server = await startServer({ kind: readingKind, limits });
  const create = (bytes?: number) =>
    server.call<CreateUploadResult>("createUpload", { format: "csv", ...(bytes !== undefined && { bytes }) });
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => create(6)));
  const created = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  expect(created).toHaveLength(3);
  const data = { uploads: 3, maxUploads: 3, uploadedBytes: 18, maxUploadedBytes: 120 };
  await expect(create(6)).rejects.toMatchObject({ code: -32180, data });
  const [first] = created;
  await put(first?.url ?? "", csv);
  expect(await server.rows(sql, { uploads: { t: first?.uploadId ?? "" } })).toEqual(read);
  await expect.poll(() => filesOf(server)).toEqual([]);
  // The record goes after the file. An upload without a size counts with the maximum.
  expect(await vi.waitFor(() => create())).toMatchObject({ maxBytes: 100 });
  const { limits: shown } = await server.call<{ limits: readonly { name: string }[] }>("getLimits", {});
  expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(["maxUploads", "maxUploadBytes"]));
});

it("belongs to the user who has created it", async () => {
  await using server = await startServer({ kind: readingKind });
  const [ann, bob, eve] = await Promise.all([
    caller(server, { user: "ann" }),
    caller(server, { user: "bob", scopes: ["run", "read", "tenant:admin"] }),
    caller(server, { user: "ann", tenant: "other" }),
  ]);
  const uploads = { t: await upload(createTestClient(server.url, ann.key), "csv", csv) };
  for (const other of [bob, eve])
    expect((await other.call("createQueryRun", { sql, uploads })).error).toMatchObject({ code: -32179 });
  expect(await createTestClient(server.url, ann.key).rows(sql, { uploads })).toEqual(read);
  await upload(createTestClient(server.url, ann.key), "csv", csv);
  await upload(createTestClient(server.url, bob.key), "csv", csv);
  await eraseUser({ dataDir: server.dataDir, user: "ann" });
  expect(await filesOf(server)).toHaveLength(1);
});

it("is removed after 10 minutes without a run", async () => {
  const clock = createTestClock();
  await using server = await startServer({ kind: readingKind, clock });
  const late = await server.call<CreateUploadResult>("createUpload", { format: "csv" });
  const uploads = { t: await upload(server, "csv", csv) };
  expect(late.expiresAt).toBe(new Date(clock.now() + 10 * minuteMs).toISOString());
  clock.advance(10 * minuteMs);
  expect((await put(late.url, csv)).status).toBe(403);
  await expect(server.run(sql, { uploads })).rejects.toMatchObject({ code: -32179 });
  await server.reap();
  expect(await filesOf(server)).toEqual([]);
});

it("stays for a queued run, over 10 minutes and a restart of the server", async () => {
  const clock = createTestClock();
  const dataDir = await temporaryDirectory();
  const gate = createGate();
  const waiting = {
    ...readingKind,
    async begin(...[statement, signal]: Parameters<SourceKind["begin"]>) {
      await gate.pass(signal);
      return readingKind.begin(statement, signal);
    },
  };
  const first = await startServer({ kind: waiting, dataDir, clock });
  const early = await first.call<CreateUploadResult>("createUpload", { format: "csv" });
  const kept = await upload(first, "csv", csv);
  const { queryRun } = await first.create({ sql, uploads: { t: await upload(first, "csv", csv) } });
  await expect.poll(() => gate.waiting).toBe(1);
  await first.stop();
  await using second = await startServer({ kind: waiting, dataDir, clock });
  onTestFinished(() => gate.open());
  expect((await put(second.url + new URL(early.url).pathname, csv)).status).toBe(204);
  await expect.poll(() => gate.waiting).toBe(2);
  clock.advance(9 * minuteMs);
  await second.reap();
  gate.open();
  expect(await second.rows(sql, { uploads: { t: kept } })).toEqual(read);
  clock.advance(2 * minuteMs);
  await second.reap();
  expect((await second.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
  await expect.poll(() => filesOf(second)).toEqual([]);
});

it("stays usable if no run is created, and is refused on a data source of another kind", async () => {
  const gate = createGate();
  const holding = {
    ...readingKind,
    async begin(...[statement, signal]: Parameters<SourceKind["begin"]>) {
      if (statement.sql.includes("held")) await gate.pass(signal);
      return readingKind.begin(statement, signal);
    },
  };
  const sources = [
    { name: "mine", provider: "quern" },
    { name: "lake", provider: "quern", kind: "other", address: "other://lake.example" },
  ];
  const sourceKinds = { duckdb: holding, other: idleKind };
  await using server = await startServer({ sourceKinds, sources, limits: { maxUnfinishedRuns: 1 } });
  const uploads = { t: await upload(server, "csv", csv) };
  const issue = { expected: "a data source of the kind duckdb", received: "the data source lake of the kind other" };
  await expect(server.create({ sql, uploads, dataSource: "lake" })).rejects.toMatchObject({
    code: -32602,
    data: { issues: [expect.objectContaining(issue)] },
  });
  const { queryRun } = await server.create({ sql: "select 1 as held" });
  await expect(server.create({ sql, uploads })).rejects.toMatchObject({ code: -32171 });
  await server.call("cancelQueryRun", { queryRunId: queryRun.id });
  expect(await server.rows(sql, { uploads })).toEqual(read);
});

it("is not waited for longer than for any other body", async () => {
  await using server = await startServer({ kind: readingKind, limits: { bodyTimeoutSeconds: 0.3 } });
  const { url } = await server.call<CreateUploadResult>("createUpload", { format: "csv" });
  const sending = request(url, { method: "PUT" });
  sending.on("error", () => {});
  sending.write("n\n1");
  const [response] = await once(sending, "response");
  expect(response.statusCode).toBe(408);
  await expect.poll(() => filesOf(server)).toEqual([]);
});
