import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunResult } from "@quern/protocol/types";
import { expect, it } from "vitest";
import { RpcError, temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

const kills = 20;
const runs = 1_000;
const callers = 8;

it("keeps a thousand small results as they were answered, while the server is killed twenty times", async () => {
  const dataDir = await temporaryDirectory();
  let server = await startServerProcess(dataDir);
  /** Rows of each answered run by its id. Two executions of a statement would have different ones. */
  const answered = new Map<string, unknown>();
  const ids = new Map<number, Set<string>>();
  let next = 0;
  let killed = 0;

  async function ask<T>(question: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (error instanceof RpcError) throw error;
        await sleep(20); // until the next server has started
      }
    }
  }

  async function runAll(): Promise<void> {
    while (next < runs) {
      const n = next;
      next += 1;
      while (killed < (n * kills) / runs - 1) await sleep(20);
      const params = { sql: `select ${n} as id, uuid() as token, random() as r`, idempotencyKey: `key ${n}` };
      const create = () =>
        server.call<CreateQueryRunResult>("createQueryRun", {
          ...params,
          waitSeconds: 20,
          results: { format: "json" },
        });
      const { queryRun, results } = await ask(create);
      ids.set(n, (ids.get(n) ?? new Set()).add(queryRun.id));
      if (results) answered.set(queryRun.id, results.rows);
    }
  }

  const all = Promise.all(Array.from({ length: callers }, runAll));
  all.catch(() => {}); // awaited below
  while (killed < kills) {
    await sleep(200 + Math.random() * 400);
    await server.end("SIGKILL");
    killed += 1;
    server = await startServerProcess(dataDir);
  }
  await all;
  const page = (queryRunId: string) => server.results({ queryRunId, format: "json" });
  const again = new Map<string, unknown>();
  for (const id of answered.keys()) again.set(id, (await page(id)).rows);
  expect(again).toEqual(answered);
  expect(answered.size).toBeGreaterThan(runs * 0.9); // the others ended after their wait
  expect([ids.size, new Set([...ids.values()].map(({ size }) => size))]).toEqual([runs, new Set([1])]);
  await server.end("SIGTERM");
  const database = new DatabaseSync(join(dataDir, "quern.db"), { readOnly: true });
  const [stored] = database
    .prepare("SELECT count(*) AS runs, count(record ->> '$.result.cells') AS small FROM runs")
    .all();
  database.close();
  expect(stored?.runs).toBe(runs);
  expect(Number(stored?.small)).toBeGreaterThanOrEqual(answered.size); // some have lost three servers
  await rm(dataDir, { recursive: true });
}, 350_000);
