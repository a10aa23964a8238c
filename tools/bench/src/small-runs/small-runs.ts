import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { type Client, createClient, createQueryRun, getQueryRunResults } from "@quern/client";
import { bounded, elapsed, median, perSecond, repeatedly } from "../measure.ts";
import { CLI, type Service, startService } from "../service.ts";
import { startTrino } from "./trino.ts";

const CALLERS = 16;
/** Time for which the throughput of a contestant is measured, in milliseconds. */
const WINDOW_MS = 8_000;
const SINGLE_RUNS = 51;
const NEW_USERS = 7;

type RunOnce = (sql: string) => Promise<unknown>;

interface Figures {
  /** Median of `select 1` of a single caller whose user has had runs before, in milliseconds. */
  readonly singleMs: number;
  /** Median of the first run of a user, in milliseconds. */
  readonly firstMs: number;
  /** Runs a second of 16 callers of one user. */
  readonly oneUser: number;
  /** Runs a second of 16 users with one caller each. */
  readonly manyUsers: number;
}

/**
 * Measures small runs from their create to their rows, for each isolation of the service, beside the bare engine, and
 * beside Trino where the machine has it.
 */
export async function smallRuns(): Promise<void> {
  const bareMs = await bareEngine();
  console.log(`bare engine: select 1 in ${bareMs.toFixed(1)} ms (median)`);
  const run = await ofService("run");
  const instance = await ofService("instance");
  const user = await ofService("user");
  bounded({ what: "16 callers of one user, user / run", value: user.oneUser / run.oneUser, atLeast: 8 });
  bounded({ what: "16 callers of one user, instance / run", value: instance.oneUser / run.oneUser, atLeast: 2.5 });
  bounded({ what: "16 users with one caller each, user / run", value: user.manyUsers / run.manyUsers, atLeast: 2 });
  bounded({ what: "select 1, user / bare engine", value: user.singleMs / bareMs, atMost: 4 });
  bounded({ what: "first run of a user, user / run", value: user.firstMs / run.firstMs, atMost: 1.1 });
  await using trino = await startTrino();
  if (trino === undefined) return;
  const theirs = await throughput(Array.from({ length: CALLERS }, () => trino.run));
  console.log(`Trino: ${theirs.toFixed(1)} runs/s of ${CALLERS} callers`);
  bounded({ what: "16 callers of one user, user / Trino", value: user.oneUser / theirs, atLeast: 2 });
}

async function ofService(isolation: string): Promise<Figures> {
  await using service = await startService({ isolation });
  const own = callerOf(service.client);
  const users = await Promise.all(Array.from({ length: CALLERS }, (_, index) => userOf(service, `user-${index}`)));
  for (let turn = 0; turn < 3; turn += 1) await own("select 0");
  const single = await times(SINGLE_RUNS, () => own("select 1 as n"));
  const oneUser = await throughput(Array.from({ length: CALLERS }, () => own));
  await Promise.all(users.map((caller) => caller("select 0")));
  const manyUsers = await throughput(users);
  const first: number[] = [];
  for (let turn = 0; turn < NEW_USERS; turn += 1) {
    const caller = await userOf(service, `new-${turn}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // the next process is warm again
    first.push(await elapsed(() => caller("select 1 as n")));
  }
  const figures = { singleMs: median(single), firstMs: median(first), oneUser, manyUsers };
  console.log(
    `isolation ${isolation}: select 1 in ${figures.singleMs.toFixed(1)} ms, first run of a user ${figures.firstMs.toFixed(1)} ms (medians); ` +
      `${CALLERS} callers of one user ${oneUser.toFixed(1)} runs/s, ${CALLERS} users ${manyUsers.toFixed(1)} runs/s`,
  );
  return figures;
}

/** Returns a function that runs a statement from its create to its rows. */
export function callerOf(client: Client, more: { readonly dataSource?: string } = {}): RunOnce {
  return async (sql) => {
    const { queryRun } = await createQueryRun(client, { sql, waitSeconds: 50, ...more });
    const { rows } = await getQueryRunResults(client, { queryRunId: queryRun.id });
    if (rows?.length !== 1) throw new Error(`the service answered ${rows?.length} rows`);
  };
}

async function userOf({ url, dataDir }: Service, user: string): Promise<RunOnce> {
  const flags = ["keys", "issue", "--data-dir", dataDir, "--user", user];
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...flags]);
  return callerOf(createClient({ url, apiKey: stdout.trim(), timeoutMs: 300_000 }));
}

async function times(count: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let turn = 0; turn < count; turn += 1) taken.push(await elapsed(work));
  return taken;
}

/** Returns the runs a second of callers that each begin a run when their last one has ended. */
async function throughput(callers: readonly RunOnce[]): Promise<number> {
  const repeating = callers.map((caller, index) => {
    let turn = 0;
    return () => caller(`select ${index * 100_000 + turn++} as n`);
  });
  return perSecond(await repeatedly(repeating, WINDOW_MS));
}

async function bareEngine(): Promise<number> {
  await using service = await startService();
  const child = fork(new URL("./bare-engine.ts", import.meta.url));
  await once(child, "message");
  const runOnce = async (): Promise<void> => {
    child.send({ sql: "select 1 as n", folder: service.folder });
    await once(child, "message");
  };
  try {
    await times(5, runOnce);
    return median(await times(SINGLE_RUNS, runOnce));
  } finally {
    child.kill();
  }
}
