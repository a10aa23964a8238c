import { rm } from "node:fs/promises";
import { join } from "node:path";
import { issueKey } from "@quern/server/administration";
import { openDatabase } from "../../src/sqlite/database.ts";
import { temporaryDirectory } from "../fixture.ts";
import { residentMegabytes } from "../process-memory.ts";
import { startServerProcess } from "../server-process.ts";
import { insertManyRuns } from "../sqlite/many-runs.ts";
import { startAttacks } from "./attack-process.ts";
import type { AttackName, Report, Target } from "./attacks.ts";
import { type CallTimes, makeCalls } from "./tenant-calls.ts";

/** Timeout for a server that does not close stalled connections or does not answer the attacker. */
const attackTimeoutMs = 400_000;
/** Runs that a list with two tags finds. */
const foundRuns = 300;

/** Calls of another tenant without and with attacks, and the effect of the attacks on the server. */
export interface Attacked {
  readonly names: readonly AttackName[];
  readonly quiet: CallTimes;
  readonly attacked: CallTimes;
  /** Growth of the resident memory of the server, at most, since the calls without attacks. 0 without /proc. */
  readonly growthMegabytes: number;
  readonly reports: Readonly<Partial<Record<AttackName, Report>>>;
}

export interface Size {
  /** Time of calls that warm up code, processes and the heap, in milliseconds. The heap of a new server grows for a minute. */
  readonly warmUpMs: number;
  /** Time of the calls before each round of attacks, and of those during it, in milliseconds. */
  readonly callsMs: number;
  /** Number of runs of the tenant that attacks with lists. */
  readonly listedRuns: number;
}

/**
 * Starts a server in a process of its own, and calls it as a tenant before, during and after each round of attacks of
 * another tenant. Rejects unless each call is answered correctly.
 */
export async function attackServer(
  rounds: readonly (readonly AttackName[])[],
  { warmUpMs, callsMs, listedRuns }: Size,
): Promise<readonly Attacked[]> {
  const dataDir = await temporaryDirectory();
  const keyOf = async (tenant: string) => (await issueKey({ dataDir, tenant, user: "caller" })).key;
  const [attacker, tenant] = [await keyOf("attacker"), await keyOf("neighbour")];
  insertListedRuns(dataDir, listedRuns);
  const server = await startServerProcess(dataDir);
  const neighbour = { url: server.url, apiKey: tenant };

  async function attack(names: readonly AttackName[]): Promise<Attacked> {
    const quiet = await makeCalls(neighbour, callsMs);
    const before = residentMegabytes(server.process.pid);
    let largest = before;
    const sampling = setInterval(() => {
      largest = Math.max(largest, residentMegabytes(server.process.pid));
    }, 250);
    try {
      const target = { url: server.url, apiKey: attacker };
      const during = await callDuring(names, target, () => makeCalls(neighbour, callsMs));
      await makeCalls(neighbour, callsMs / 4);
      return { names, quiet, ...during, growthMegabytes: largest - before };
    } finally {
      clearInterval(sampling);
    }
  }

  try {
    await makeCalls(neighbour, warmUpMs);
    const attacked: Attacked[] = [];
    for (const names of rounds) attacked.push(await attack(names));
    return attacked;
  } finally {
    await server.end("SIGTERM");
    await rm(dataDir, { recursive: true });
  }
}

/** Tests whether an attack has done enough to be one. */
const wasAttack: Readonly<Record<AttackName, (report: Report) => boolean>> = {
  brackets: ({ refused = 0 }) => refused > 10,
  filters: ({ answered = 0 }) => answered > 10,
  lists: ({ answered = 0 }) => answered >= 100,
  stalled: ({ open, closed }) => open === 0 && closed === 920,
};

/** Calls the service until each attack has been one. */
async function callDuring(
  names: readonly AttackName[],
  target: Target,
  makeCalls: () => Promise<CallTimes>,
): Promise<Pick<Attacked, "attacked" | "reports">> {
  await using attack = startAttacks(names, target);
  const deadline = performance.now() + attackTimeoutMs;
  const attacked = [await makeCalls()];
  let reports = await attack.reports();
  // A loaded machine attacks slowly, and the server closes stalled connections after some time.
  while (!names.every((name) => wasAttack[name](reports[name] ?? {}))) {
    if (performance.now() > deadline) throw new Error(`the attacks are not complete: ${JSON.stringify(reports)}`);
    attacked.push(await makeCalls());
    reports = await attack.reports();
  }
  const timesOf = (call: keyof CallTimes) => attacked.flatMap((times) => times[call]);
  return {
    attacked: { healthz: timesOf("healthz"), create: timesOf("create"), poll: timesOf("poll"), page: timesOf("page") },
    reports,
  };
}

/** Inserts the runs that the attack with lists reads. */
function insertListedRuns(dataDir: string, count: number): void {
  const database = openDatabase(join(dataDir, "quern.db"));
  const tagsOf = (index: number) => ({ env: "production", panel: `panel ${index % (count / foundRuns)}` });
  const since = Date.now() - count * 1_000; // the service deletes records older than 45 days
  insertManyRuns(database, { count, tenantId: "attacker", userId: "caller", since, tagsOf });
  database.close();
}
