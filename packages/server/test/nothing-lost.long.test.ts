import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunParams, QueryRun } from "@quern/protocol/types";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { eventually, RpcError, temporaryDirectory } from "./fixture.ts";
import { processesInside } from "./inside-processes.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const kills = 8;
const clients = 20;
const runsOfClient = 5;

/** One of four runs is executed by the real engine, in processes of its own, for long enough to be killed. */
const isReal = (which: number) => which % 4 === 1;
const slow = "(select count(*) from range(20000) a, range(1000) b where (a.range + b.range) % 7 = 0) > 0";
const realSql = (rows: number) => `select range as n, uuid() as token from range(${rows}) where ${slow}`;

it("loses no run, row or process, and runs nothing twice to an end, while the server is killed eight times", async () => {
  const dataDir = await temporaryDirectory();
  const start = () => startServerProcess(dataDir, "./scripted-process.ts");
  let server = await start();
  let killed = 0;
  const seen = {
    states: new Set<string>(),
    hashes: new Map<string, string>(),
    runs: new Set<string>(),
    real: new Set<string>(),
  };

  /** Retries until a server answers, also with an error, and while too many pages of the tenant wait. */
  async function ask<T>(question: (current: ServerProcess) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await question(server);
      } catch (error) {
        if (error instanceof RpcError && error.code !== -32_029) throw error;
        await sleep(50);
      }
    }
  }

  /** Reads a result, whose rows are numbered, and which is the same each time. */
  async function read({ id, rowCount }: QueryRun): Promise<void> {
    const page = { number: 1, size: 100_000 };
    const answer = await ask(({ results }) => results({ queryRunId: id, page }));
    const rows = answer.rows as readonly (readonly [number, string])[]; // of both engines
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: rowCount ?? -1 }, (_, n) => n));
    const hash = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
    expect(seen.hashes.get(id) ?? hash).toBe(hash);
    seen.hashes.set(id, hash);
  }

  async function readAgain(ids: Iterable<string>): Promise<void> {
    for (const id of ids) await read(await ask(({ get }) => get(id)));
  }

  async function cancel({ id }: QueryRun): Promise<void> {
    try {
      await ask(({ call }) => call("cancelQueryRun", { queryRunId: id }));
    } catch (error) {
      if (!(error instanceof RpcError && error.code === -32165)) throw error; // it has ended
    }
  }

  /** One run as its client lives through it. */
  async function live(client: number, number: number): Promise<void> {
    const which = client + number * clients;
    while (killed < (number * kills) / runsOfClient) await sleep(50);
    const params: CreateQueryRunParams = {
      sql: isReal(which) ? realSql(which) : which % 11 === 0 ? "fails" : `rows=${which % 10 === 0 ? 77 : which}`,
      maxAgeMinutes: which % 10 === 0 ? 60 : 0,
      idempotencyKey: `${client}.${number}`,
    };
    let { queryRun } = await ask(({ create }) => create(params));
    seen.runs.add(queryRun.id);
    if (isReal(which)) seen.real.add(queryRun.id);
    seen.states.add(queryRun.state);
    if (which % 13 === 0) await cancel(queryRun);
    do {
      queryRun = await ask(({ get }) => get(queryRun.id, Math.random() < 0.5 ? 1 : 0));
      seen.states.add(queryRun.state);
      await sleep(Math.random() * 150);
    } while (!isFinal(queryRun.state as RunRecord["state"])); // the service has no other states
    if (queryRun.state !== "QUERY_STATE_SUCCESS") return;
    await read(queryRun);
    const earlier = [...seen.hashes.keys()];
    await readAgain(earlier.slice(Math.floor(Math.random() * earlier.length)).slice(0, 1));
  }

  const lives = Array.from({ length: clients * runsOfClient }, (_, which) =>
    live(which % clients, Math.floor(which / clients)),
  );
  const all = Promise.all(lives);
  all.catch(() => {}); // awaited below
  while (killed < kills) {
    await sleep(50 + Math.random() * 700);
    await server.end("SIGKILL");
    killed += 1;
    server = await start();
  }
  await all;

  await readAgain(seen.hashes.keys());

  // Remaining processes belong to the last server, and end with it.
  const parents = async () => new Set((await processesInside(dataDir)).map(({ parent }) => parent));
  await eventually(async () => [...(await parents())].every((parent) => parent === server.process.pid));
  if (process.platform === "linux") expect(await parents()).toEqual(new Set([server.process.pid]));
  await server.end("SIGTERM");
  await eventually(async () => (await parents()).size === 0);
  expect(await readdir(dataDir)).not.toContain("work");

  const records = readRecords(join(dataDir, "quern.db"));
  expect(records.length).toBeGreaterThanOrEqual(0.85 * clients * runsOfClient);
  const successes = records.filter(({ state }) => state === "QUERY_STATE_SUCCESS");
  expect(new Set(records.map(({ id }) => id))).toEqual(seen.runs);
  expect(records.filter(({ state }) => !isFinal(state))).toEqual([]);
  expect(new Set(successes.map(({ id }) => id))).toEqual(new Set(seen.hashes.keys()));
  const stored = successes.filter(({ result }) => result?.cells === undefined);
  const files = stored.map(({ id, attempt }) => `${id}.${attempt}.parquet`);
  expect((await readdir(join(dataDir, "results"))).sort()).toEqual(files.sort());
  expect([...seen.states].sort()).toEqual([...states].sort());
  const count = (name: string) => records.filter(({ failure }) => failure?.name === name).length;
  const again = records.filter(({ attempt }) => attempt > 1);
  const ofReal = (some: readonly RunRecord[]) => some.filter(({ id }) => seen.real.has(id)).length;
  expect(Math.min(ofReal(successes), ofReal(again))).toBeGreaterThan(0);
  console.log(
    `${kills} kills, ${records.length} runs: ${successes.length} succeeded (${ofReal(successes)} of the real engine), ${again.length} (${ofReal(again)}) were begun more than once, ${count("WorkerLost")} given up after three lost servers, ${count("BinderError")} failed by themselves`,
  );
  await rm(dataDir, { recursive: true });
});

const states: readonly RunRecord["state"][] = [
  "QUERY_STATE_READY",
  "QUERY_STATE_RUNNING",
  "QUERY_STATE_STREAMING_RESULTS",
  "QUERY_STATE_SUCCESS",
  "QUERY_STATE_FAILED",
  "QUERY_STATE_CANCELED",
];

function readRecords(path: string): RunRecord[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT record FROM runs").all();
  database.close();
  return rows.map(({ record }) => JSON.parse(String(record)) as RunRecord); // the service wrote it
}
