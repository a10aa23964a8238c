import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient, createQueryRun, getQueryRunResults } from "@quern/client";
import { alternately, bounded, median, perSecond, repeatedly } from "../measure.ts";
import { CLI, type Service, startService } from "../service.ts";
import { startTrino } from "./trino.ts";

const CALLERS = 16;
/** Rounds in which the throughput of each variant is measured, and the time of each measurement in milliseconds. */
const ROUNDS = 4;
const WINDOW_MS = 3_000;
const SINGLE_RUNS = 101;
const NEW_USERS = 7;
/** Time after which the next process is warm again, in milliseconds. */
const WARM_AGAIN_MS = 1_000;

type RunOnce = (sql: string) => Promise<unknown>;

/** Service with one value of the setting `isolation`. */
interface Variant extends AsyncDisposable {
  readonly isolation: string;
  /** Runs a statement for the first user. */
  readonly own: RunOnce;
  /** Run a statement for one user each. */
  readonly users: readonly RunOnce[];
  /** Runs a statement for a user who had none before. */
  first(): Promise<unknown>;
}

/** Runs a second of each round. */
interface Rates {
  /** 16 callers of one user. */
  readonly oneUser: number[];
  /** 16 users with one caller each. */
  readonly manyUsers: number[];
}

/**
 * Measures small runs from their create to their rows, for each isolation of the service, beside the bare engine, and
 * beside Trino where the machine has it. The variants are measured alternately.
 */
export async function smallRuns(): Promise<void> {
  await using run = await variant("run");
  await using instance = await variant("instance");
  await using user = await variant("user");
  await single(user);
  await firstRuns(user, run);
  const rates = await ratesOf([run, instance, user]);
  const oneUser = (name: string): readonly number[] => rates.get(name)?.oneUser ?? [];
  const manyUsers = (name: string): readonly number[] => rates.get(name)?.manyUsers ?? [];
  const times = (what: string, ours: readonly number[], theirs: readonly number[], atLeast: number): void =>
    bounded({ what, value: median(ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN))), atLeast });
  times("16 callers of one user, user / run", oneUser("user"), oneUser("run"), 8);
  times("16 callers of one user, instance / run", oneUser("instance"), oneUser("run"), 2.5);
  times("16 users with one caller each, user / run", manyUsers("user"), manyUsers("run"), 2);
  await using trino = await startTrino();
  if (trino === undefined) return;
  const beside: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    beside.theirs.push(await throughput(Array.from({ length: CALLERS }, () => trino.run)));
    beside.ours.push(await throughput(Array.from({ length: CALLERS }, () => user.own)));
  }
  console.log(`Trino: ${median(beside.theirs).toFixed(1)} runs/s of ${CALLERS} callers`);
  times("16 callers of one user, user / Trino", beside.ours, beside.theirs, 2);
}

async function variant(isolation: string): Promise<Variant> {
  const service = await startService({ isolation });
  const own = callerOf(service.client);
  const users = await Promise.all(Array.from({ length: CALLERS }, (_, index) => userOf(service, `user-${index}`)));
  const newUsers = await Promise.all(Array.from({ length: NEW_USERS }, (_, index) => userOf(service, `new-${index}`)));
  for (let round = 0; round < 3; round += 1) await own("select 0");
  return {
    isolation,
    own,
    users,
    first: async () => newUsers.pop()?.("select 1 as n"),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Compares `select 1` of a single caller whose user has had runs before with the bare engine. */
async function single({ own }: Variant): Promise<void> {
  await using bare = await startBareEngine();
  for (let round = 0; round < 10; round += 1) await bare.run();
  const { ours, theirs } = await alternately(SINGLE_RUNS, () => own("select 1 as n"), bare.run);
  console.log(`select 1, medians: user ${median(ours).toFixed(1)} ms, bare engine ${median(theirs).toFixed(1)} ms`);
  bounded({ what: "select 1, user / bare engine", value: median(ours) / median(theirs), atMost: 4 });
}

async function firstRuns(user: Variant, run: Variant): Promise<void> {
  const { ours, theirs } = await alternately(NEW_USERS, user.first, run.first, WARM_AGAIN_MS);
  console.log(`first run of a user, medians: user ${median(ours).toFixed(1)} ms, run ${median(theirs).toFixed(1)} ms`);
  bounded({ what: "first run of a user, user / run", value: median(ours) / median(theirs), atMost: 1.1 });
}

/** Measures the throughput of the variants in rounds. Prints the medians, and returns the rates by isolation. */
async function ratesOf(variants: readonly Variant[]): Promise<ReadonlyMap<string, Rates>> {
  const rates = new Map(variants.map(({ isolation }): [string, Rates] => [isolation, { oneUser: [], manyUsers: [] }]));
  for (const { users } of variants) await Promise.all(users.map((caller) => caller("select 0")));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { isolation, own, users } of variants) {
      rates.get(isolation)?.oneUser.push(await throughput(Array.from({ length: CALLERS }, () => own)));
      rates.get(isolation)?.manyUsers.push(await throughput(users));
    }
  }
  for (const [isolation, { oneUser, manyUsers }] of rates)
    console.log(
      `isolation ${isolation}, medians: ${CALLERS} callers of one user ${median(oneUser).toFixed(1)} runs/s, ` +
        `${CALLERS} users ${median(manyUsers).toFixed(1)} runs/s`,
    );
  return rates;
}

/** Returns a function that runs a statement from its create to its rows. */
export function callerOf(client: Client): RunOnce {
  return async (sql) => {
    const { queryRun } = await createQueryRun(client, { sql, waitSeconds: 50 });
    const { rows } = await getQueryRunResults(client, { queryRunId: queryRun.id });
    if (rows?.length !== 1) throw new Error(`the service answered ${rows?.length} rows`);
  };
}

async function userOf({ url, dataDir }: Service, user: string): Promise<RunOnce> {
  const flags = ["keys", "issue", "--data-dir", dataDir, "--user", user];
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...flags]);
  return callerOf(createClient({ url, apiKey: stdout.trim(), timeoutMs: 300_000 }));
}

/** Returns the runs a second of callers that each begin a run when their last one has ended. */
async function throughput(callers: readonly RunOnce[]): Promise<number> {
  const repeating = callers.map((caller, index) => {
    let round = 0;
    return () => caller(`select ${index * 100_000 + round++} as n`);
  });
  return perSecond(await repeatedly(repeating, WINDOW_MS));
}

/** Starts the bare engine in a process of its own. */
async function startBareEngine(): Promise<AsyncDisposable & { run(): Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
  const child = fork(new URL("./bare-engine.ts", import.meta.url));
  await once(child, "message");
  return {
    run() {
      child.send({ sql: "select 1 as n", folder });
      return once(child, "message");
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}
