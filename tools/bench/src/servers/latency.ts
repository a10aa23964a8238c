import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, cancelQueryRun, createQueryRun, getQueryRun } from "@quern/client";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { startStorage } from "../../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../../packages/s3/test/versitygw.ts";
import { bounded, median, percentile99 } from "../measure.ts";
import { finishedRun, type Service, startService } from "../service.ts";

const ROUNDS = 100;
/** Time for which a statement executes before it is canceled, in milliseconds. */
const EXECUTION_MS = 200;

const endless = "select count(*) from range(100000000) a, range(100000000) b where hash(a.range + b.range) = 7";

/** Times of the rounds in milliseconds. All processes have the clock of this machine. */
interface Times {
  readonly wakeUp: number[];
  readonly longPoll: number[];
  readonly stopped: number[];
  readonly cancelSeen: number[];
}

/**
 * Measures, with calls on one server and runs on another one: the time from a create to its claim, from the end of a run
 * to the answer of a long poll, and from a cancel until the statement has stopped and a long poll reports the state.
 */
export async function latencyBetweenServers(): Promise<void> {
  if (!hasVersitygw()) return console.log("not measured: the machine lacks go, which builds the object storage");
  await using postgres = await startPostgres({ durable: true });
  await using objects = await startStorage();
  const results = await objects.createBucket("bench");
  const settings = { store: postgres.url, results, "limits.maxRunningRuns": "1" };
  await using called = await startService(settings);
  await occupy(called);
  await using executing = await startService(settings);
  const times: Times = { wakeUp: [], longPoll: [], stopped: [], cancelSeen: [] };
  await finishedRun(called.client, "select 0"); // the process of the user starts
  for (let round = 0; round < ROUNDS; round += 1) {
    await endOnOther(called.client, round, times);
    await cancelOnOther(called.client, executing.client, round, times);
  }
  report("a create on one server to the claim on another", times.wakeUp);
  report("the end of a run on one server to the answer of a long poll on another", times.longPoll);
  report("a cancel on one server to the end of the statement on another", times.stopped);
  report("a cancel on one server to the answer of a long poll on another", times.cancelSeen);
}

/** Gives a server a run that takes all of its capacity, and stops the processes of the run, so that they need no processor. */
async function occupy({ client, pid }: Service): Promise<void> {
  await running(client, (await createQueryRun(client, { sql: endless })).queryRun.id);
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = /^PPid:\s+(\d+)/m.exec(statusOf(name))?.[1];
    if (Number(parent) === pid) process.kill(Number(name), "SIGSTOP");
  }
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // the process has ended
  }
}

async function running(client: Client, queryRunId: string): Promise<void> {
  while ((await getQueryRun(client, { queryRunId })).queryRun.state !== "QUERY_STATE_RUNNING") await sleep(5);
}

/** Waits for a run that the other server executes. */
async function endOnOther(client: Client, round: number, { wakeUp, longPoll }: Times): Promise<void> {
  const sql = `select sum(sin(range)) from range(${3_000_000 + round})`;
  const { id } = (await createQueryRun(client, { sql })).queryRun;
  const { queryRun } = await getQueryRun(client, { queryRunId: id, waitSeconds: 50 });
  const seen = Date.now();
  longPoll.push(seen - Date.parse(queryRun.endedAt ?? ""));
  wakeUp.push(Date.parse(queryRun.startedAt ?? "") - Date.parse(queryRun.createdAt));
}

/**
 * Cancels a run that the other server executes. That server claims the run after it when the statement has stopped, since
 * its limit is one run.
 */
async function cancelOnOther(client: Client, other: Client, round: number, times: Times): Promise<void> {
  const { id } = (await createQueryRun(client, { sql: `${endless} and ${round} = ${round}` })).queryRun;
  await running(client, id);
  await sleep(EXECUTION_MS);
  const next = (await createQueryRun(client, { sql: `select ${round} as next` })).queryRun.id;
  const seen = getQueryRun(other, { queryRunId: id, waitSeconds: 50 }).then(() => Date.now());
  await sleep(20); // the long poll waits at the server
  const from = Date.now();
  await cancelQueryRun(client, { queryRunId: id });
  times.cancelSeen.push((await seen) - from);
  const { queryRun } = await getQueryRun(client, { queryRunId: next, waitSeconds: 50 });
  times.stopped.push(Date.parse(queryRun.startedAt ?? "") - from);
}

function report(what: string, values: readonly number[]): void {
  const p99 = percentile99(values);
  console.log(`${what}: p50 ${median(values).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  bounded({ what: `${what}, p99`, value: p99, atMost: 200, unit: " ms" });
}
