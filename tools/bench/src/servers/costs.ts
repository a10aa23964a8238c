import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Load, median } from "../measure.ts";
import type { Service } from "../service.ts";
import { type Program, processorMsOf, programs, type Usage } from "./processes.ts";

/** Counters of a store since it was created. */
interface Counters {
  readonly bytes: number;
  /** Transactions that wrote, and thus waited for the disk; only of PostgreSQL, like the next ones. */
  readonly transactions: number;
  readonly logBytes: number;
  readonly connections: number;
}

interface Window extends Load {
  readonly processorMs: ReadonlyMap<Program, number>;
  readonly usages: ReadonlyMap<Program, Usage>;
  readonly counters: Counters;
}

/** Costs of the calls of one kind. */
export interface Costs {
  /** Performs a load and measures its costs. */
  measured(service: Service, load: () => Promise<Load>): Promise<Load>;
  /** Describes the costs, as medians of the loads. */
  lines(): readonly string[];
}

const measuredPrograms: readonly Program[] = ["server", "engine", "PostgreSQL", "storage", "callers"];

/** @param database URL of the PostgreSQL database of the servers; undefined for the embedded store */
export function createCosts(database: string | undefined): Costs {
  const windows: Window[] = [];
  const countersOf = (service: Service) =>
    database === undefined ? sqliteCounters(join(service.dataDir, "quern.db")) : postgresCounters(database);
  return {
    async measured(service, load) {
      const before = { counters: await countersOf(service), usages: programs() };
      const { calls, ms } = await load();
      const usages = programs();
      const after = await countersOf(service);
      const processorMs = measuredPrograms.map(
        (program) => [program, processorMsOf(program, before.usages, usages)] as const,
      );
      const counters = {
        bytes: after.bytes - before.counters.bytes,
        transactions: after.transactions - before.counters.transactions,
        logBytes: after.logBytes - before.counters.logBytes,
        connections: after.connections,
      };
      windows.push({ calls, ms, processorMs: new Map(processorMs), usages, counters });
      return { calls, ms };
    },
    lines: () => [
      `processor time a call: ${processorTimes(windows)}`,
      `memory: ${memory(windows)}`,
      database === undefined ? `SQLite: ${storedBytes(windows)} a call` : postgresLine(windows),
    ],
  };
}

const of = (windows: readonly Window[], value: (window: Window) => number): number => median(windows.map(value));

function processorTimes(windows: readonly Window[]): string {
  return measuredPrograms
    .map(
      (program) => [program, of(windows, ({ processorMs, calls }) => (processorMs.get(program) ?? 0) / calls)] as const,
    )
    .filter(([, ms]) => ms > 0)
    .map(([program, ms]) => `${program} ${ms.toFixed(2)} ms`)
    .join(", ");
}

function memory(windows: readonly Window[]): string {
  return measuredPrograms
    .map((program) => {
      const count = of(windows, ({ usages }) => usages.get(program)?.count ?? 0);
      return [
        program,
        count,
        of(windows, ({ usages }) => usages.get(program)?.residentMegabytes ?? 0) / count,
      ] as const;
    })
    .filter(([, count]) => count > 0)
    .map(([program, count, megabytes]) => `${program} ${count} x ${megabytes.toFixed(0)} MB`)
    .join(", ");
}

function storedBytes(windows: readonly Window[]): string {
  return `${of(windows, ({ counters, calls }) => counters.bytes / calls).toFixed(0)} bytes of tables and indexes`;
}

function postgresLine(windows: readonly Window[]): string {
  const transactions = of(windows, ({ counters, calls }) => counters.transactions / calls);
  const log = of(windows, ({ counters, calls }) => counters.logBytes / calls);
  const connections = of(windows, ({ counters }) => counters.connections);
  return `PostgreSQL: ${transactions.toFixed(2)} writing transactions, ${log.toFixed(0)} bytes of write-ahead log, ${storedBytes(windows)} a call; ${connections} connections`;
}

async function postgresCounters(url: string): Promise<Counters> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const [row] = (
      await client.query(`SELECT pg_database_size(current_database()) AS bytes, pg_current_wal_lsn() - '0/0' AS log,
        pg_current_xact_id()::text AS transactions,
        (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'quern') AS connections`)
    ).rows;
    return {
      bytes: Number(row.bytes),
      transactions: Number(row.transactions),
      logBytes: Number(row.log),
      connections: Number(row.connections),
    };
  } finally {
    await client.end();
  }
}

async function sqliteCounters(path: string): Promise<Counters> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const value = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
    return { bytes: value("page_count") * value("page_size"), transactions: 0, logBytes: 0, connections: 0 };
  } finally {
    database.close();
  }
}
