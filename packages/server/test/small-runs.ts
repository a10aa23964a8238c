import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunResult, QueryRun } from "@quern/protocol/types";
import { expect } from "vitest";
import { type createTestClient, RpcError } from "./fixture.ts";

/** Client of the servers at present. */
type Client = Pick<ReturnType<typeof createTestClient>, "call" | "get" | "results">;

interface SmallRunsOptions {
  readonly client: () => Client;
  readonly runs: number;
  readonly callers: number;
  /** Number of servers that are killed while the runs are created, at the same distance in runs. */
  readonly kills: number;
}

/** Small runs whose results differ at each execution, and whose callers repeat a call that a kill has ended. */
export interface SmallRuns {
  /** To be called after each kill, once the service answers again. */
  killed(): void;
  /** Resolves when each run is created. */
  readonly done: Promise<unknown>;
  /** Expects that each answered result is still read as it was answered, and that no run was created twice. */
  check(): Promise<{ readonly answered: number }>;
}

export function createSmallRuns({ client, runs, callers, kills }: SmallRunsOptions): SmallRuns {
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
      const sql = `select ${n} as id, uuid() as token, random() as r`;
      const params = { sql, idempotencyKey: `key ${n}`, waitSeconds: 20, results: { format: "json" } };
      const { queryRun, results } = await ask(() => client().call<CreateQueryRunResult>("createQueryRun", params));
      ids.set(n, (ids.get(n) ?? new Set()).add(queryRun.id));
      const rows = results?.rows ?? (await rowsOf(queryRun));
      if (rows) answered.set(queryRun.id, rows);
    }
  }

  /** Returns the rows of a run that had no result when its call was answered; undefined for a run that has failed. */
  async function rowsOf({ id, endedAt }: QueryRun): Promise<unknown> {
    for (let ended = endedAt; ended === null; ) ({ endedAt: ended } = await ask(() => client().get(id, 20)));
    const { state } = await ask(() => client().get(id));
    if (state !== "QUERY_STATE_SUCCESS") return undefined;
    return (await ask(() => client().results({ queryRunId: id, format: "json" }))).rows;
  }

  const done = Promise.all(Array.from({ length: callers }, runAll));
  done.catch(() => {}); // the caller awaits it
  return {
    killed() {
      killed += 1;
    },
    done,
    async check() {
      const again = new Map<string, unknown>();
      for (const queryRunId of answered.keys()) {
        const page = await ask(() => client().results({ queryRunId, format: "json" }));
        again.set(queryRunId, page.rows);
      }
      expect(again).toEqual(answered);
      expect(answered.size).toBeGreaterThan(runs * 0.9); // the others failed, because they were killed several times
      expect([ids.size, new Set([...ids.values()].map(({ size }) => size))]).toEqual([runs, new Set([1])]);
      return { answered: answered.size };
    },
  };
}
