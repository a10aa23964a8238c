import { expect } from "vitest";
import { createTestClient } from "../../../server/test/fixture.ts";

/** Key of the callers. */
export const trafficKey = "qk_first";

/** Callers that create runs until they are stopped. */
export interface Traffic {
  /** Numbers that the runs select, by the id of the run. The service has acknowledged all of them. */
  readonly runs: ReadonlyMap<string, number>;
  /** Waits until the callers have created so many more runs. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

const callers = 4;
/** Runs that a caller creates before it waits for the first of them, so that some always wait in the queue. */
const burst = 5;

export function startTraffic(urls: readonly string[]): Traffic {
  const runs = new Map<string, number>();
  let isStopped = false;
  let next = 0;
  async function call(caller: number): Promise<void> {
    const client = createTestClient(urls[caller % urls.length] ?? "", trafficKey);
    while (!isStopped) {
      const created: string[] = [];
      for (let count = 0; count < burst; count += 1) {
        const number = ++next;
        const { queryRun } = await client.create({ sql: `select ${number} as n`, resultTTLHours: 24 });
        runs.set(queryRun.id, number);
        created.push(queryRun.id);
      }
      await client.get(created[0] ?? "", 5);
    }
  }
  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return {
    runs,
    async more(count) {
      const wanted = runs.size + count;
      while (runs.size < wanted) await Promise.race([calling, new Promise((resolve) => setTimeout(resolve, 20))]);
    },
    async stop() {
      isStopped = true;
      await calling;
    },
  };
}

/**
 * Expects of a restored service that it has each run of the backup with its right rows, that its unfinished runs end,
 * and that it has no later run.
 * @param states states of the runs in the backup, by id
 */
export async function expectRestored(url: string, runs: Traffic["runs"], states: ReadonlyMap<string, string>) {
  const client = createTestClient(url, trafficKey);
  const found = { stored: 0, finished: 0, absent: 0 };
  for (const [id, number] of runs) {
    const state = states.get(id);
    if (state === undefined) {
      await expect(client.get(id)).rejects.toMatchObject({ code: -32099 });
      found.absent += 1;
      continue;
    }
    while (!["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED"].includes((await client.get(id, 20)).state));
    const run = await client.get(id);
    expect([run.state, run.errorName]).toEqual(["QUERY_STATE_SUCCESS", null]);
    expect((await client.results({ queryRunId: id })).rows).toEqual([[number]]);
    found[state === "QUERY_STATE_SUCCESS" ? "stored" : "finished"] += 1;
  }
  return found;
}
