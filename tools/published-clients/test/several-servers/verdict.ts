import { createClient, resumeQuery, rowsOf } from "@quern/client";
import type { RunRecord } from "@quern/query-run/record";
import { expect, vi } from "vitest";
import { execute } from "../../../../packages/postgres/test/store/fixture.ts";
import { type Cluster, leaseSeconds } from "./cluster.ts";
import { checkDisasters, type Disasters } from "./disasters.ts";
import type { AcknowledgedRun, Load } from "./load.ts";
import { interruptions, isClaim, type RunChange, readRunLog } from "./run-log.ts";
import { statementOf } from "./statements.ts";

/** Longest wait for what happens soon; a test that passes does not wait for it. */
const timeout = 60_000;

/** Most milliseconds from the end of a lease to the next claim, on a machine that has time for each server. */
const claimMs = 5_000;

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];

/** Checks the store, the bucket and the rows of all runs after the load, and prints the figures. */
export async function judge(cluster: Cluster, load: Load, disasters: Disasters): Promise<readonly RunChange[]> {
  const { postgres, servers } = cluster;
  checkDisasters(cluster, disasters);
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
  const stored = [...records.values()].filter(({ state }) => state === "QUERY_STATE_SUCCESS");
  const names = stored.map(({ id, attempt }) => `${id}.${attempt}`).sort();
  await expect.poll(() => cluster.results(), { timeout, interval: 500 }).toEqual(names);
  for (const run of load.acknowledged) await checkRows(cluster, run);

  printFigures(load, disasters, records, changes);
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

function printFigures(
  { acknowledged, errors }: Load,
  { kills, outages, postgresStarts, storageOutages }: Disasters,
  records: ReadonlyMap<string, RunRecord>,
  changes: readonly RunChange[],
): void {
  const interrupted = interruptions(changes, kills);
  const delays = interrupted.map(({ killedAt, claimedAt }) => {
    // No server claims a run while PostgreSQL is away, and while all of them are killed.
    const away = outages.filter(({ from, to }) => from < claimedAt && to > killedAt).map(({ to }) => to);
    return claimedAt - Math.max(killedAt, ...away);
  });
  const attempts = Math.max(...[...records.values()].map(({ attempt }) => attempt));
  const elsewhere = interrupted.filter(({ isElsewhere }) => isElsewhere).length;
  const boundMs = leaseSeconds * 1_000 + claimMs;
  const inTime = delays.filter((delay) => delay <= boundMs).length;
  const slowest = Math.max(...delays);
  const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
  const median = delays.toSorted((a, b) => a - b)[Math.floor(delays.length / 2)];
  const sum = [...errors.values()].reduce((all, count) => all + count, 0);
  console.log(
    `${acknowledged.length} acknowledged runs and ${records.size - acknowledged.length} others, ${kills.length} kills, ` +
      `${postgresStarts.length - 1} restarts of PostgreSQL, storage away for ${storageOutages.map(({ from, to }) => seconds(to - from)).join(", ")}, ` +
      `${delays.length} interrupted executions, at most ${attempts} attempts of a run; ` +
      `${elsewhere} of them claimed by another server, ${interrupted.length - elsewhere} by the killed one after its restart, ` +
      `${inTime} within ${seconds(boundMs)} (lease + ${seconds(claimMs)}), after ${seconds(median)} (median) to ${seconds(slowest)}; ` +
      `PostgreSQL or all servers away for ${outages.map(({ from, to }) => seconds(to - from)).join(", ")}; ` +
      `${sum} errors that the programs of the clients answered with another attempt`,
  );
  expect(delays.length).toBeGreaterThan(0);
  expect(elsewhere).toBeGreaterThan(0);
}
