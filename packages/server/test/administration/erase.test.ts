import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eraseUser, listUsage, revokeKey, verifyAudit } from "@quern/server/administration";
import { expect, it } from "vitest";
import { hashOfKey } from "../../src/sqlite/idempotency-records.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { eventually, startServer, temporaryDirectory } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

/** Lists the files of a data directory that contain a text. */
async function filesWith(dataDir: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1").catch(() => "")));
  return files.filter((_, index) => contents[index]?.includes(text)).map((file) => file.slice(dataDir.length + 1));
}

interface Created {
  readonly queryRun: { readonly id: string; readonly sqlStatementId: string };
}

it("erases all that a user has stored, beside a server, and keeps what others share", async () => {
  await using server = await startServer();
  const { dataDir } = server;
  const ann = await caller(server, { tenant: "acme", user: "ann" });
  const bob = await caller(server, { tenant: "acme", user: "bob" });
  const run = async ({ call }: typeof ann, sql: string, more: object = {}) =>
    ((await call("createQueryRun", { sql, waitSeconds: 30, ...more })).result as unknown as Created).queryRun;

  const secret = "ann-secret";
  const own: { id: string }[] = [];
  // More rows than fit a page of the database, so that later deletions move rows between pages.
  for (let count = 0; count < 20; count += 1)
    own.push(await run(ann, `select '${secret}-${count}' as word, $p as p`, { parameters: { p: `${secret}-p` } }));
  own.push(await run(ann, "select 1 as n", { tags: { team: `${secret}-tag` }, idempotencyKey: `${secret}-key` }));
  own.push(await run(ann, `select '${secret}'::int`));
  const sorted = await run(ann, `select '${secret}-' || range as word from range(30000)`);
  own.push(sorted);
  const sortBy = [{ column: "word", direction: "desc" }];
  await ann.call("getQueryRunResults", { queryRunId: sorted.id, page: { number: 3, size: 10_000 }, sortBy });
  await ann.call("cancelQueryRun", { idempotencyKey: `${secret}-withdrawn` });
  const shared = await run(ann, "select 'shared-word' as word", { tags: { team: `${secret}-shared` } });
  for (const id of [own[0]?.id, shared.id])
    await ann.call("getQueryRunResults", { queryRunId: id, sortBy: [{ column: "word", direction: "asc" }] });
  const ofBob = await run(bob, "select 'shared-word' as word", { maxAgeMinutes: 60, tags: { team: "board" } });
  expect(ofBob.id).toBe(shared.id);
  await eventually(async () => (await listUsage(dataDir)).some(({ userId }) => userId === "ann"));

  for (const text of ["p", "tag", "key", "shared"])
    expect(await filesWith(dataDir, `${secret}-${text}`)).not.toEqual([]);
  const withdrawn = hashOfKey(`${secret}-withdrawn`);
  expect(await filesWith(dataDir, withdrawn)).not.toEqual([]);
  expect(await readdir(join(dataDir, "cache"))).toEqual([`${sorted.id}.1`]);
  const erased = await eraseUser({ dataDir, tenant: "acme", user: "ann" });
  expect(erased).toEqual({ runs: 23, executingRuns: 0, sharedRuns: 1, statements: 23, activeKeys: 1 });
  for (const text of [secret, withdrawn]) expect(await filesWith(dataDir, text)).toEqual([]);
  expect(await readdir(join(dataDir, "results"))).toEqual([]);
  expect(await readdir(join(dataDir, "work", "small-results"))).toEqual([`${shared.id}.1.parquet`]);
  expect(await readdir(join(dataDir, "cache"))).toEqual([]);

  for (const { id } of own)
    expect(await ann.call("getQueryRunResults", { queryRunId: id })).toMatchObject({ error: { code: -32_099 } });
  expect((await bob.call("getQueryRun", { queryRunId: shared.id })).result).toMatchObject({
    queryRun: { userId: "bob", tags: { team: "board" } },
  });
  const page = await bob.call("getQueryRunResults", { queryRunId: shared.id });
  expect(page.result).toMatchObject({ rows: [["shared-word"]] });
  expect((await listUsage(dataDir)).map(({ userId }) => userId)).toContain("ann");

  // The server goes on, also for the user until the key is revoked.
  expect((await run(ann, "select 2 as n")).id).toMatch(/^run_/);
  await revokeKey(dataDir, ann.keyId);
  expect(await eraseUser({ dataDir, tenant: "acme", user: "ann" })).toMatchObject({ runs: 1, activeKeys: 0 });
  const unknown = await eraseUser({ dataDir, tenant: "acme", user: "idp|a b" });
  expect(unknown).toEqual({ runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0, activeKeys: 0 });
  const audit = await readFile(join(dataDir, "audit.jsonl"), "utf8");
  expect(JSON.parse(audit.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    action: "user.erase",
    tenantId: "acme",
    userId: "idp|a b",
    runs: 0,
    address: "local",
  });
  expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true });
}, 120_000); // it starts processes for statements, pages and two users

it("leaves the files of a data directory whose store is not the configured one", async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, "results"));
  await writeFile(join(dataDir, "results", "run_other.1.parquet"), "of another service");
  const erased = await eraseUser({ dataDir: { dataDir, store: openSqliteStore(":memory:") }, user: "ann" });
  expect(erased).toMatchObject({ runs: 0, activeKeys: 0 });
  expect(await readdir(join(dataDir, "results"))).toEqual(["run_other.1.parquet"]);
  await rm(dataDir, { recursive: true });
});
