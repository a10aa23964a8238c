import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunParams, QueryRun } from "@quern/protocol/types";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { RpcError, temporaryDirectory } from "./fixture.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const kills = 50;
const clients = 20;
const runsOfClient = 28;

it("loses no run and no row, and runs nothing twice to an end, while the server is killed fifty times", async () => {
  const dataDir = await temporaryDirectory();
  const start = () => startServerProcess(dataDir, "./scripted-process.ts");
  let server = await start();
  let killed = 0;
  const seen = { states: new Set<string>(), rows: new Map<string, string>(), runs: new Set<string>() };

  /** Asks until a server answers; what it answers then is an answer, also a refusal. */
  async function ask<T>(question: (current: ServerProcess) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await question(server);
      } catch (error) {
        if (error instanceof RpcError) throw error;
        await sleep(20);
      }
    }
  }

  async function rowsOf({ id }: QueryRun): Promise<string> {
    const page = { number: 1, size: 100_000 };
    return JSON.stringify((await ask(({ results }) => results({ queryRunId: id, page }))).rows);
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
    while (killed < (number * kills) / runsOfClient) await sleep(20);
    const params: CreateQueryRunParams = {
      sql: which % 11 === 0 ? "fails" : `rows=${which % 10 === 0 ? 77 : which}`,
      maxAgeMinutes: which % 10 === 0 ? 60 : 0,
      idempotencyKey: `${client}.${number}`,
    };
    let { queryRun } = await ask(({ create }) => create(params));
    seen.runs.add(queryRun.id);
    seen.states.add(queryRun.state);
    if (which % 13 === 0) await cancel(queryRun);
    do {
      queryRun = await ask(({ get }) => get(queryRun.id, Math.random() < 0.5 ? 1 : 0));
      seen.states.add(queryRun.state);
      await sleep(Math.random() * 50);
    } while (!isFinal(queryRun.state as RunRecord["state"])); // the service has no other states
    if (queryRun.state !== "QUERY_STATE_SUCCESS") return;
    const rows = await rowsOf(queryRun);
    expect(seen.rows.get(queryRun.id) ?? rows).toBe(rows);
    seen.rows.set(queryRun.id, rows);
  }

  const lives = Array.from({ length: clients * runsOfClient }, (_, which) =>
    live(which % clients, Math.floor(which / clients)),
  );
  const all = Promise.all(lives);
  all.catch(() => {}); // awaited below
  while (killed < kills) {
    await sleep(50 + Math.random() * 350);
    await server.end("SIGKILL");
    killed += 1;
    server = await start();
  }
  await all;

  // What was read once is read again after the last start.
  for (const [id, rows] of seen.rows) expect(await rowsOf(await ask(({ get }) => get(id)))).toBe(rows);
  await server.end("SIGTERM");

  const records = readRecords(join(dataDir, "quern.db"));
  expect(records.length).toBeGreaterThanOrEqual(500);
  const successes = records.filter(({ state }) => state === "QUERY_STATE_SUCCESS");
  expect(new Set(records.map(({ id }) => id))).toEqual(seen.runs);
  expect(records.filter(({ state }) => !isFinal(state))).toEqual([]);
  expect(new Set(successes.map(({ id }) => id))).toEqual(new Set(seen.rows.keys()));
  for (const { id, result } of successes) {
    const numbers = (JSON.parse(seen.rows.get(id) ?? "[]") as [number, string][]).map(([n]) => n);
    expect(numbers).toEqual(Array.from({ length: result?.rowCount ?? -1 }, (_, n) => n));
  }
  const files = successes.map(({ id, attempt }) => `${id}.${attempt}.parquet`);
  expect((await readdir(join(dataDir, "results"))).sort()).toEqual(files.sort());
  expect([...seen.states].sort()).toEqual([...states].sort());
  const count = (name: string) => records.filter(({ failure }) => failure?.name === name).length;
  const again = records.filter(({ attempt }) => attempt > 1).length;
  console.log(
    `${kills} kills, ${records.length} runs: ${successes.length} succeeded, ${again} were begun more than once, ${count("WorkerLost")} given up after three lost servers, ${count("BinderError")} failed by themselves`,
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
