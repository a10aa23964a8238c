import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { bounded, median } from "../measure.ts";
import { type Queue, queueKinds } from "./queues.ts";
import type { WorkerMessage } from "./worker-process.ts";

const JOBS = 2_000;
const PICK_UPS = 100;
const SLOTS = 8;
const SERVERS = [1, 2, 4];
const PEERS = ["quern", "graphile-worker", "pg-boss"];
const PROCESS = fileURLToPath(new URL("./worker-process.ts", import.meta.url));

interface Measurement {
  /** Jobs that were claimed and ended, a second. */
  readonly rate: number;
  /** Median and 95th percentile of the milliseconds from the call that adds a job to its claim. */
  readonly p50: number;
  readonly p95: number;
}

/**
 * Measures the queue on PostgreSQL, with caps and round-robin, beside queues without them: jobs a second of a long queue,
 * and the time until an idle server claims a new job. Commits are durable.
 */
export async function claims(): Promise<void> {
  await using postgres = await startPostgres({ durable: true });
  console.log(`${JOBS} jobs without work, ${SLOTS} at the same time on each server; then ${PICK_UPS} jobs one by one`);
  const found = new Map<string, Measurement>();
  let nextId = 0;
  const ids = (count: number) => Array.from({ length: count }, () => String(++nextId));
  for (const kind of PEERS) {
    await postgres.run(`CREATE DATABASE "${kind}"`);
    const url = Object.assign(new URL(postgres.url), { pathname: `/${kind}` }).href;
    const queue = await openQueue(kind, url);
    for (const servers of SERVERS) {
      const measured = await measure(kind, url, queue, servers, ids);
      found.set(`${kind} ${servers}`, measured);
      const { rate, p50, p95 } = measured;
      console.log(
        `${kind}, ${servers} servers: ${rate.toFixed(0)} jobs a second; pick-up p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
      );
    }
    await queue.close();
  }
  for (const servers of SERVERS) {
    const [ours, theirs] = [found.get(`quern ${servers}`), found.get(`graphile-worker ${servers}`)];
    bounded({
      what: `jobs a second of ${servers} servers, ratio to graphile-worker`,
      value: (ours?.rate ?? 0) / (theirs?.rate ?? 1),
      atLeast: 0.5,
    });
    bounded({ what: `pick-up p50 of ${servers} servers`, value: ours?.p50 ?? Number.NaN, atMost: 10, unit: " ms" });
  }
}

function openQueue(kind: string, url: string): Promise<Queue> {
  const found = queueKinds[kind];
  if (found === undefined) throw new Error(`unknown queue ${kind}`);
  return found.open(url);
}

async function measure(
  kind: string,
  url: string,
  queue: Queue,
  servers: number,
  ids: (count: number) => string[],
): Promise<Measurement> {
  const jobs = ids(JOBS);
  const waiting = [...jobs];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await queue.add(id);
    }),
  );
  const startedAt = new Map<string, number>();
  const ended: number[] = [];
  const workers = Array.from({ length: servers }, () => fork(PROCESS, [kind, url, String(SLOTS)]));
  for (const worker of workers)
    worker.on("message", ({ id, at }: WorkerMessage) => (id === null ? ended.push(at) : startedAt.set(id, at)));
  try {
    await until(() => ended.length === JOBS);
    // Servers start one after the other; only the time in which all of them work counts.
    const sorted = ended.toSorted((a, b) => a - b);
    const [from = 0, to = 0] = [sorted[JOBS / 10], sorted[JOBS * 0.9]];
    const rate = (JOBS * 0.8) / ((to - from) / 1_000);
    const waits: number[] = [];
    await sleep(500);
    for (const id of ids(PICK_UPS)) {
      const addedAt = performance.timeOrigin + performance.now();
      await queue.add(id);
      await until(() => startedAt.has(id));
      waits.push((startedAt.get(id) ?? Number.NaN) - addedAt);
      await sleep(20);
    }
    return { rate, p50: median(waits), p95: waits.toSorted((a, b) => a - b)[PICK_UPS * 0.95] ?? Number.NaN };
  } finally {
    await Promise.all(workers.map(end));
  }
}

function end(worker: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  worker.disconnect();
  return ended;
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("the jobs did not end in time");
    await sleep(2);
  }
}
