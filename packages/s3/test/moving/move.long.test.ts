import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CopyObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { createTestClient, RpcError } from "../../../server/test/fixture.ts";
import { hasVersitygw } from "../versitygw.ts";
import { addCopies } from "./old-runs.ts";
import { createPlaces, onlyFiles, type Places } from "./places.ts";

/** Value of each type of the engine. */
const types = `select true as a, 1::tinyint as b, 2::smallint as c, 3::integer as d, 9223372036854775807 as e,
  170141183460469231731687303715884105727::hugeint as f, 255::utinyint as g, 18446744073709551615::ubigint as h,
  1.5::float as i, 0.1::double as j, 12345678901234567.89::decimal(38,2) as k, 'é''"' as l, 'ab'::blob as m,
  '101'::bit as n, date '2026-11-20' as o, time '01:02:03.000004' as p, timestamp '2026-11-20 01:02:03.000004' as q,
  timestamptz '2026-11-20 01:02:03+02' as r, timestamp_ns '2026-11-20 01:02:03.123456789' as s, interval '1 day' as t,
  'c0ffee00-0000-4000-8000-000000000000'::uuid as u, 'x'::enum('x', 'y') as v, [1, null] as w, {'a': 1, 'b': 'z'} as x,
  map {'k': 1} as y, '{"a": [1]}'::json as z, null as nothing`;
const slow = "select count(*) as n from range(100000) a, range(100000) b where hash(a.range + b.range) = 7";
const first = "qk_first";
const copies = 900;
const results = 60;

async function storedKeys({ storage }: Places): Promise<ReadonlyMap<string, string>> {
  const { Contents = [] } = await storage.client.send(
    new ListObjectsV2Command({ Bucket: "service", Prefix: "results/" }),
  );
  return new Map(
    Contents.map(({ Key = "", ETag = "", LastModified }) => [Key, `${ETag} ${LastModified?.toISOString()}`]),
  );
}

const runs = async ({ rows }: Places): Promise<number> =>
  Number((await rows("SELECT count(*) AS n FROM quern.runs"))[0]?.n ?? 0);
const requests = async ({ rows }: Places): Promise<number> =>
  Number((await rows("SELECT count(*) AS n FROM quern.requests"))[0]?.n ?? 0);

/** Returns the number of runs in a data directory; 0 before there is a store. */
function runsIn(dataDir: string): number {
  try {
    const database = new DatabaseSync(join(dataDir, "quern.db"), { readOnly: true });
    try {
      return Number(database.prepare("SELECT count(*) AS n FROM runs").get()?.n);
    } finally {
      database.close();
    }
  } catch {
    return 0;
  }
}

function filesIn(dataDir: string): number {
  const results = join(dataDir, "results");
  return existsSync(results) ? readdirSync(results).length : 0;
}

/** Makes the runs that are to move. One of them is executing when the server is killed. */
async function makeRuns(url: string) {
  const client = createTestClient(url, first);
  const typed = await client.run(types, { tags: { team: "a" }, idempotencyKey: "once" });
  const failed = await client.run("select * from nowhere");
  const rows = (await client.results({ queryRunId: typed.id })).rows;
  const link = await client.call<{ url: string }>("getQueryRunDownload", { queryRunId: typed.id, format: "csv" });
  const { queryRun: lost } = await client.create({ sql: slow });
  while ((await client.get(lost.id)).state !== "QUERY_STATE_RUNNING");
  return { typed, failed, rows, lost, path: new URL(link.url).pathname + new URL(link.url).search };
}

/** Checks that a service has the runs, keys, links and idempotency keys of the one before. */
async function expectRuns(url: string, key: string, made: Awaited<ReturnType<typeof makeRuns>>): Promise<void> {
  const client = createTestClient(url, first);
  expect(await createTestClient(url, key).rows("select 1")).toEqual([[1]]);
  expect((await client.results({ queryRunId: made.typed.id })).rows).toEqual(made.rows);
  expect((await client.results({ queryRunId: `${made.typed.id}_7` })).rows).toEqual(made.rows);
  expect((await client.get(made.failed.id)).errorName).toBe(made.failed.errorName);
  const repeated = await client.create({ sql: types, tags: { team: "a" }, idempotencyKey: "once" });
  expect(repeated.queryRun.id).toBe(made.typed.id);
  const differing = client.create({ sql: "select 2", idempotencyKey: "once" });
  await expect(differing).rejects.toBeInstanceOf(RpcError);
  expect((await fetch(`${url}${made.path}`)).status).toBe(200);
  const { queryRuns } = await client.call<{ queryRuns: { id: string }[] }>("listQueryRuns", {
    tags: { team: "a" },
    limit: 1,
  });
  expect(queryRuns).toHaveLength(1);
  // The run that was lost executes again.
  while ((await client.get(made.lost.id)).state !== "QUERY_STATE_RUNNING");
}

if (!hasVersitygw())
  it.skip("no service moves to a bucket here: the machine lacks go"); // as its name says
else
  it("moves a service to PostgreSQL and a bucket and back, however often the command is killed", async () => {
    await using places = await createPlaces();
    const { run, runUntil, serve, shared, folder } = places;
    const dataDir = ["--data-dir", "data"];
    const server = await serve(dataDir, { QUERN_API_KEY: first, ...onlyFiles });
    const { stdout } = await run(["keys", "issue", "--tenant", "acme", "--user", "ann", ...dataDir]);
    const made = await makeRuns(server.url);
    const to = ["--to-store", shared.QUERN_STORE ?? "", "--to-results", shared.QUERN_RESULTS ?? ""];
    const there = ["migrate-store", ...dataDir, ...to];
    expect((await run(there)).stderr).toContain("is in use by another Quern server or command");
    await server.end("SIGKILL");
    await addCopies(join(folder, "data"), made.typed.id, copies, results);

    const kills = [
      async () => (await runs(places)) > copies / 2,
      async () => (await requests(places)) > copies / 2,
      async () => (await storedKeys(places)).size > results / 2,
    ];
    const killed: boolean[] = [];
    for (const holds of kills) killed.push(await runUntil(there, {}, holds));
    expect(killed).toEqual(kills.map(() => true));
    expect((await run(["keys", "list", ...dataDir])).status).toBe(0);
    const refused = await run(["serve", "--port", "0", "--data-dir", "server 1"], shared);
    expect(refused.stderr).toMatch(/Unfinished migration of the store from the data directory .*data; run the same/);
    const copied = await storedKeys(places);
    const moved = await run(there);
    expect(moved).toMatchObject({ status: 0, stdout: expect.stringMatching(/^runs 90\d moved, 90\d checked$/m) });
    expect(moved.stdout).toMatch(/^results 6\d moved, 6\d checked$/m);
    // Objects that an interrupted command had copied were not copied again.
    const after = await storedKeys(places);
    for (const [key, version] of copied) expect(after.get(key)).toBe(version);

    await expectDifference(places, [...there, "--check"], made.typed.id);

    const env = { ...shared, QUERN_API_KEY: first };
    const [one, other] = [await serve(["--data-dir", "server 1"], env), await serve(["--data-dir", "server 2"], env)];
    for (const { url } of [one, other]) await expectRuns(url, stdout.trim(), made);
    const later = await createTestClient(one.url, first).run("select 'made on PostgreSQL' as v");
    const back = ["migrate-store", "--to-data-dir", "again"];
    expect(await run(back, shared)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/servers use postgres:\/\/127\.0\.0\.1:\d+\/postgres: [0-9a-f-]{36}/),
    });
    await other.end("SIGTERM");
    await one.end("SIGTERM");

    const again = join(folder, "again");
    const returning = [async () => runsIn(again) > copies / 2, async () => filesIn(again) > results / 2];
    for (const holds of returning) expect(await runUntil(back, shared, holds)).toBe(true);
    const returned = await run(back, shared);
    expect(returned).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^runs 90\d moved, 90\d checked$/m),
    });
    expect(await run([...back, "--check"], shared)).toMatchObject({ status: 0 });
    const home = await serve(["--data-dir", "again"], { QUERN_API_KEY: first, ...onlyFiles });
    await expectRuns(home.url, stdout.trim(), made);
    const client = createTestClient(home.url, first);
    expect((await client.results({ queryRunId: later.id })).rows).toEqual([["made on PostgreSQL"]]);
    await client.call("cancelQueryRun", { queryRunId: made.lost.id });
    await home.end("SIGTERM");
  });

/** Changes a row and an object of the target one after the other, and expects the check to name each. */
async function expectDifference({ run, rows, storage }: Places, check: string[], runId: string): Promise<void> {
  expect(await run(check)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^runs 90\d checked$/m) });
  const swap = (from: string, to: string) =>
    rows(
      `UPDATE quern.runs SET record = replace(record, '"team":"${from}"', '"team":"${to}"') WHERE id = '${runId}_5' RETURNING id`,
    );
  expect(await swap("a", "b")).toHaveLength(1);
  expect(await run(check)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^runs 90\d checked: they differ$/m),
    stderr: expect.stringContaining(`runs: changed in the target: "${runId}_5"`),
  });
  await swap("b", "a");
  const { client } = storage;
  const { Contents = [] } = await client.send(
    new ListObjectsV2Command({ Bucket: "service", Prefix: `results/${runId}_9.` }),
  );
  const Key = Contents[0]?.Key ?? "";
  await client.send(new CopyObjectCommand({ Bucket: "service", Key: "saved", CopySource: `service/${Key}` }));
  await client.send(new PutObjectCommand({ Bucket: "service", Key, Body: Buffer.from("PAR1 another PAR1") }));
  const found = await run(check);
  expect(found.status).toBe(1);
  await client.send(new CopyObjectCommand({ Bucket: "service", Key, CopySource: "service/saved" }));
  expect(found.stderr).toContain(`results: changed in the target: "${runId}_9"`);
  expect(await run(check)).toMatchObject({ status: 0 });
}
