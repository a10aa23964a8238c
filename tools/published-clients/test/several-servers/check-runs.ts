import { createClient, resumeQuery, rowsOf } from "@quern/client";
import type { RunRecord } from "@quern/query-run/record";
import { expect, vi } from "vitest";
import { execute } from "../../../../packages/postgres/test/store/fixture.ts";
import type { Cluster } from "./cluster.ts";
import { checkInjectedFaults, type InjectedFaults } from "./faults.ts";
import type { AcknowledgedRun, Load } from "./load.ts";
import { interruptions, isClaim, type RunChange, readRunLog } from "./run-log.ts";
import { statementOf } from "./statements.ts";

/** Longest wait for what happens soon; a test that passes does not wait for it. */
const timeout = 60_000;

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];

/** Checks the store, the bucket and the rows of all runs after the load. */
export async function checkRuns(cluster: Cluster, load: Load, faults: InjectedFaults): Promise<readonly RunChange[]> {
  const { postgres, servers } = cluster;
  checkInjectedFaults(cluster, faults);
  const states = finalStates.map((state) => `'${state}'`).join();
  // Runs without a client, whose acknowledgement was lost, may end later.
  const unfinished = `SELECT id FROM quern.runs WHERE state NOT IN (${states})`;
  await vi.waitUntil(async () => (await execute(postgres.url, unfinished)).length === 0, { timeout, interval: 200 });
  const records = await readRuns(postgres.url);
  const changes = await readRunLog(postgres.url);

  expect(load.acknowledged.map(({ runId }) => records.get(runId)?.state)).toEqual(
    load.acknowledged.map(({ number }) => `QUERY_STATE_${statementOf(number).failure ? "FAILED" : "SUCCESS"}`),
  );
  for (const { runId, number } of load.acknowledged) {
    const { failure } = statementOf(number);
    if (failure !== undefined) expect(records.get(runId)?.failure?.message).toContain(failure);
  }
  for (const [id, { attempt, lostWorkers }] of records) {
    const own = changes.filter(({ runId }) => runId === id);
    expect(lostWorkers, id).toBe(0);
    expect(
      own.filter(({ state }) => finalStates.includes(state)),
      id,
    ).toHaveLength(1);
    expect(new Set(own.filter(isClaim).map((claim) => claim.attempt)).size, id).toBe(attempt);
  }

  // The leader removes the results of interrupted attempts once an hour, and when it starts.
  await Promise.all(servers.map((server) => server.end("SIGTERM")));
  await servers[0]?.start();
  // Small results are in the records.
  const stored = [...records.values()].filter(({ result }) => result !== null && result.cells === undefined);
  const names = stored.map(({ id, attempt }) => `${id}.${attempt}`).sort();
  await expect.poll(() => cluster.results(), { timeout, interval: 500 }).toEqual(names);
  for (const run of load.acknowledged) await checkRows(cluster, run);

  const interrupted = interruptions(changes, faults.kills);
  expect(interrupted.length).toBeGreaterThan(0);
  expect(interrupted.filter(({ isElsewhere }) => isElsewhere).length).toBeGreaterThan(0);
  // Our client waits for a run, and servers report nothing but outages.
  expect([...load.errors.keys()].filter((text) => text.startsWith("ours end"))).toEqual([]);
  expect(
    [...cluster.logged.keys()].filter(
      (text) => !/PostgreSQL at|object storage|have the user of the service/.test(text),
    ),
  ).toEqual([]);
  return changes;
}

async function readRuns(url: string): Promise<ReadonlyMap<string, RunRecord>> {
  const rows = await execute(url, "SELECT id, record FROM quern.runs");
  return new Map(rows.map(({ id, record }) => [String(id), JSON.parse(String(record))]));
}

/** Reads the result of a run by its id, and compares its rows. */
async function checkRows({ url, apiKey }: Cluster, { runId, number }: AcknowledgedRun): Promise<void> {
  const { failure, rows } = statementOf(number);
  if (failure !== undefined) return;
  const read: unknown[][] = [];
  const result = await resumeQuery(createClient({ url, apiKey }), runId);
  for await (const row of rowsOf(result)) read.push(Object.values(row));
  expect(read, runId).toEqual(rows);
}
