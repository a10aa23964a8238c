import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { issueKey } from "@quern/server/administration";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { eventually, temporaryDirectory } from "../fixture.ts";
import { startServerProcess } from "../server-process.ts";
import { insertManyRuns } from "../store/many-runs.ts";
import { startAttacks } from "./attack-process.ts";
import type { AttackName, Report } from "./attacks.ts";
import { type Delays, measureDelays } from "./tenant-delays.ts";

const measureMs = 15_000;
const stallsEndWithinMs = 90_000;
const listedRuns = 150_000;

/** Delays of another tenant without and with attacks, and their effect on the server. */
export interface MeasuredAttack {
  readonly quiet: Delays;
  readonly attacked: Delays;
  /** Growth of the resident memory of the server, at most, since the quiet measurement. 0 without /proc. */
  readonly growthMegabytes: number;
  readonly reports: Readonly<Record<AttackName, Report>>;
}

/** Starts a server in a process of its own, and measures a tenant before and during attacks of another tenant. */
export async function measureAttack(names: readonly AttackName[]): Promise<MeasuredAttack> {
  const dataDir = await temporaryDirectory();
  const keyOf = async (tenant: string) => (await issueKey({ dataDir, tenant, user: "caller" })).key;
  const [attacker, tenant] = [await keyOf("attacker"), await keyOf("neighbour")];
  if (names.includes("lists")) insertListedRuns(dataDir);
  const server = await startServerProcess(dataDir);
  const neighbour = { url: server.url, apiKey: tenant };
  await measureDelays(neighbour, measureMs / 4); // warms up code and processes
  const quiet = await measureDelays(neighbour, measureMs);
  const before = residentMegabytes(server.process.pid);
  let largest = before;
  const sampling = setInterval(() => {
    largest = Math.max(largest, residentMegabytes(server.process.pid));
  }, 250);

  await using attack = startAttacks(names, { url: server.url, apiKey: attacker });
  const attacked = await measureDelays(neighbour, measureMs);
  // The server closes stalled connections; the attack keeps them open.
  if (names.includes("stalled"))
    await eventually(async () => (await attack.reports()).stalled.open === 0, stallsEndWithinMs);
  const reports = await attack.reports();
  clearInterval(sampling);
  await server.end("SIGTERM");
  await rm(dataDir, { recursive: true });
  return { quiet, attacked, growthMegabytes: largest - before, reports };
}

/** Inserts the runs that the attack with lists reads. */
function insertListedRuns(dataDir: string): void {
  const database = openDatabase(join(dataDir, "quern.db"));
  const tagsOf = (index: number) => ({ env: "production", panel: `panel ${index % 500}` });
  insertManyRuns(database, { count: listedRuns, tenantId: "attacker", userId: "caller", tagsOf });
  database.close();
}

function residentMegabytes(pid = 0): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000);
  } catch {
    return 0;
  }
}
