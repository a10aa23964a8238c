import { setTimeout as sleep } from "node:timers/promises";
import type { CreateQueryRunParams, QueryRun } from "@quern/protocol/types";
import { type createTestClient, RpcError } from "./fixture.ts";

type Client = ReturnType<typeof createTestClient>;

/** Load of one user, which knows the right end of each of its runs. */
export interface Load {
  /** Returns a client of the present server. */
  readonly client: () => Client;
  readonly user: string;
  /** Returns the version of the table `shop.orders` that was loaded last. */
  readonly version: () => number;
}

/**
 * Numbers of runs by kind, the runs that ended otherwise than they should, and for each lane the number of processes that
 * had been killed when its present run began.
 */
export interface Outcome {
  readonly counts: Map<string, number>;
  readonly mistakes: string[];
  readonly killsBefore: Map<number, number>;
  kills: number;
}

interface Sample {
  readonly kind: string;
  readonly params: CreateQueryRunParams;
  /** Rows, or the name of the error. Undefined if the run is canceled. */
  readonly expected?: readonly unknown[] | string;
}

const endless = "select count(*) from range(100000000) a, range(100000000) b where (a.range + b.range) % 7 = 0";
const spilling =
  "select h >= 0 as is_hash from (select hash(range) as h from range(8000000)) order by h limit 1 offset 4000000";

function sample(number: number): Sample {
  if (number % 30 === 29) return { kind: "spilling", params: { sql: spilling }, expected: [[true]] };
  switch (number % 8) {
    case 1:
      return { kind: "failing", params: { sql: "select nothing" }, expected: "BinderError" };
    case 2:
      return { kind: "canceled", params: { sql: endless } };
    case 3:
      return {
        kind: "pivot",
        params: { sql: `pivot (select 'x${number}' as name, ${number} as n) on name using sum(n)` },
        expected: [[number]],
      };
    case 4:
      return {
        kind: "parameters",
        params: { sql: "select ?::int + 1", parameters: [number] },
        expected: [[number + 1]],
      };
    case 5:
      return { kind: "source", params: { sql: "select min(version), count(*) from shop.orders" } };
    default:
      return { kind: "small", params: { sql: `select ${number} as n` }, expected: [[number]] };
  }
}

/** Retries until a server answers, also with an error. */
async function answer<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof RpcError) throw error;
      await sleep(50);
    }
  }
}

async function ended({ client }: Load, params: CreateQueryRunParams, isCanceled: boolean): Promise<QueryRun> {
  let { queryRun } = await answer(() => client().create(params));
  if (isCanceled) {
    await sleep(100);
    await answer(() => client().call("cancelQueryRun", { queryRunId: queryRun.id }));
  }
  while (queryRun.endedAt === null) queryRun = await answer(() => client().get(queryRun.id, 20));
  return queryRun;
}

/**
 * Creates one run after the other until the signal is aborted. Each lane begins with another number, so that not all
 * spill at once.
 */
export async function keepLoading(load: Load, lane: number, outcome: Outcome, signal: AbortSignal): Promise<void> {
  for (let number = lane * 4; !signal.aborted; number += 1) {
    const { kind, params, expected } = sample(number);
    outcome.killsBefore.set(lane, outcome.kills);
    const atLeast = load.version();
    const idempotencyKey = `${load.user}.${lane}.${number}`;
    const isCanceled = kind === "canceled";
    const run = await ended(
      load,
      { ...params, maxAgeMinutes: 0, idempotencyKey, waitSeconds: isCanceled ? 0 : 20 },
      isCanceled,
    );
    const { state, errorName } = run;
    const rows =
      state === "QUERY_STATE_SUCCESS" ? await answer(() => load.client().results({ queryRunId: run.id })) : undefined;
    const found = isCanceled ? state : (rows?.rows ?? errorName);
    const isRight =
      kind === "source"
        ? isLoad(found, atLeast, load.version())
        : JSON.stringify(found) === JSON.stringify(isCanceled ? "QUERY_STATE_CANCELED" : expected);
    if (!isRight) outcome.mistakes.push(`${kind}: ${state} ${run.errorMessage} ${JSON.stringify(found)}`);
    outcome.counts.set(kind, (outcome.counts.get(kind) ?? 0) + 1);
    if (number % 20 === 0) await answer(() => load.client().call("describeQuery", { sql: "select 1 as n" }));
  }
}

/** Returns true for the rows of a version that was the last one at some time during the run, with as many rows as it has. */
function isLoad(found: unknown, from: number, to: number): boolean {
  const [[version, rows] = []] = found as readonly (readonly number[])[];
  return version !== undefined && rows === 1_000 && version >= from && version <= to + 1;
}
