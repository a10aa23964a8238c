import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { execute } from "../../../../packages/postgres/test/store/fixture.ts";
import type { Cluster } from "./cluster.ts";
import type { Load } from "./load.ts";
import { executingServers, type Kill } from "./run-log.ts";
import type { ServerProcess } from "./server-process.ts";

/** Faults that were injected under a load. */
export interface InjectedFaults {
  readonly kills: readonly Kill[];
  /** Times at which PostgreSQL says that it was started, from the first start. */
  readonly postgresStarts: readonly string[];
  /** Milliseconds without the storage, which refused a connection at the start and at the end of each outage. */
  readonly storageOutages: readonly number[];
}

/** Faults of a load. Servers are killed at the same distance in runs. */
const plan = { kills: 9, postgresRestarts: 2, storageAwayMs: 10_000 };

const pauseMs = 20;
/** Longest wait for a server that executes runs, before a server that executes none is killed. */
const maxSearchMs = 5_000;

/**
 * Kills servers while clients create runs, at the same distance in runs, and starts each of them again. Twice, PostgreSQL
 * is restarted; once, the storage is away for ten seconds.
 */
export async function injectFaults(
  { servers, postgres, objects }: Cluster,
  load: Load,
  runs: number,
): Promise<InjectedFaults> {
  const count = plan.kills;
  const kills: Kill[] = [];
  const storageOutages: number[] = [];
  const postgresStarts = [await startOf(postgres.url)];
  const pending: Promise<void>[] = [];

  async function restartPostgres(): Promise<void> {
    await postgres.stop();
    await postgres.start();
    postgresStarts.push(await startOf(postgres.url));
  }

  async function loseStorage(): Promise<void> {
    await objects.stop();
    const from = Date.now();
    await refuses(objects.endpoint);
    await sleep(plan.storageAwayMs);
    await refuses(objects.endpoint);
    storageOutages.push(Date.now() - from);
    await objects.start();
  }

  /** Kills a server. Resolves once it has ended, with its restart. A server that ended by itself is no victim. */
  async function killOne(): Promise<{ restarted: Promise<void> }> {
    for (;;) {
      const victim = await findVictim(servers, postgres.url);
      const at = await victim.end("SIGKILL");
      if (at === undefined) continue;
      kills.push({ server: victim.name, at, endedAt: Date.now() });
      return { restarted: victim.start() };
    }
  }

  const beside: Readonly<Record<number, () => Promise<void>>> = {
    [Math.round(count / 3)]: restartPostgres,
    [Math.round(count / 2)]: loseStorage,
    [Math.round((count * 2) / 3)]: restartPostgres,
  };

  for (let number = 1; number <= count; number += 1) {
    await acknowledges(load, (number * runs) / (count + 1));
    pending.push(beside[number]?.() ?? Promise.resolve());
    pending.push((await killOne()).restarted);
  }
  await Promise.all(pending);
  return { kills, postgresStarts, storageOutages };
}

/** Checks that all faults of the plan have happened, and that no server ended in another way. */
export function checkInjectedFaults({ servers }: Cluster, faults: InjectedFaults): void {
  expect(servers.map(({ name, ownEnds }) => `${name} ended by itself: ${ownEnds}`)).toEqual(
    servers.map(({ name }) => `${name} ended by itself: 0`),
  );
  expect(faults.kills).toHaveLength(plan.kills);
  expect(new Set(faults.postgresStarts).size).toBe(1 + plan.postgresRestarts);
  expect(faults.storageOutages).toHaveLength(1);
  for (const ms of faults.storageOutages) expect(ms).toBeGreaterThanOrEqual(plan.storageAwayMs - 1);
}

/** Returns the time at which PostgreSQL was started. */
async function startOf(url: string): Promise<string> {
  const [row] = await execute(url, "SELECT pg_postmaster_start_time()::text AS start");
  return String(row?.start);
}

/** Resolves if the storage refuses connections. */
async function refuses(endpoint: string): Promise<void> {
  await expect(fetch(endpoint)).rejects.toThrow();
}

/** Waits until the clients have as many runs. */
export async function acknowledges({ acknowledged }: Load, count: number): Promise<void> {
  while (acknowledged.length < count) await sleep(pauseMs);
}

/** Waits until a server runs, and executes the most runs. */
async function findVictim(servers: readonly ServerProcess[], url: string): Promise<ServerProcess> {
  for (const from = Date.now(); ; await sleep(pauseMs)) {
    const executing = await executingServers(url).catch(() => []); // PostgreSQL is away
    const running = servers.filter(({ isRunning }) => isRunning);
    const busiest = executing.flatMap((name) => running.find((server) => server.name === name) ?? [])[0];
    const victim = busiest ?? (Date.now() - from > maxSearchMs ? running[0] : undefined);
    if (victim !== undefined) return victim;
  }
}
