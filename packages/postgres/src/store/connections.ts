import { UnavailableError } from "@quern/adapter";
import pg from "pg";
import type { Address } from "./address.ts";
import { codeOf, isOutage } from "./outage.ts";
import { createPermits } from "./permits.ts";
import { valueTypes } from "./values.ts";

/** Connections to a database. They are made when they are needed. */
export interface Connections {
  /**
   * Performs work on a connection. Waits for a free one, unless none can be made; if PostgreSQL has none left for this
   * server, for one of those that are open.
   * @param isUrgent lets the work overtake other work
   */
  use<T>(isUrgent: boolean, work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly address: Address;
  readonly maxConnections: number;
  /** Called when a connection that is not in use ends, and if a further one is refused, at most once a minute. */
  readonly onError: (message: string, error: unknown) => void;
}

/** Maximum wait of a call for a connection. */
const maxWaitMs = 10_000;
/** Time for which one connection fewer is used after PostgreSQL has refused one. */
const refusedMs = 1_000;
/** Minimum time between two reports of refusals. */
const reportMs = 60_000;
/** SQLSTATE of `too_many_connections`, also those of a user or of a database. */
const refusal = "53300";

/** Settings of each connection. A process of Quern that hangs within a transaction loses its locks after ten seconds. */
const settings = {
  application_name: "quern",
  search_path: "quern",
  jit: "off",
  // A plan for one connection costs more than most statements, and none depends on the values much.
  plan_cache_mode: "force_generic_plan",
  statement_timeout: "30s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "10s",
};

/** Returns the configuration of a connection. A statement that PostgreSQL does not answer fails after 40 seconds. */
export function connectionConfig({ config }: Address): pg.ClientConfig {
  return {
    ...config,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    connectionTimeoutMillis: 5_000,
    query_timeout: 40_000,
    keepAlive: true,
    pipeline: true,
    types: valueTypes,
  };
}

/**
 * Performs work on a connection of its own without time limits, for statements that may wait for other servers or take
 * long, such as those that change or compact all tables.
 */
export async function withoutTimeLimits<T>(address: Address, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connectionConfig(address), query_timeout: 0 });
  client.on("error", () => {}); // the call under way fails, too
  try {
    await client.connect();
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

export function createConnections({ address, maxConnections, onError }: ConnectionsOptions): Connections {
  const pool = new pg.Pool({ ...connectionConfig(address), max: maxConnections, idleTimeoutMillis: 60_000 });
  const permits = createPermits({ count: maxConnections, reserved: maxConnections > 1 ? 1 : 0, maxWaitMs });
  let reportedAt = Number.NEGATIVE_INFINITY;

  pool.on("connect", (client) => {
    // Without a listener, the end of a connection between two statements of a transaction would end the process. The
    // next statement on it fails.
    client.on("error", () => {});
  });
  pool.on("error", (error) => onError(`a connection to ${address.text} ended`, error));

  /** Returns the error of a call for which PostgreSQL refused to open a connection. */
  function refused(cause: unknown): UnavailableError {
    const fault = `${address.text} refuses further connections, of which this server has ${pool.totalCount}`;
    const advice = "raise max_connections of PostgreSQL, or lower the number of servers";
    const error = new UnavailableError(`${fault}; ${advice}`, { cause });
    if (performance.now() - reportedAt >= reportMs) {
      reportedAt = performance.now();
      onError("a connection was refused", error);
    }
    return error;
  }

  async function use<T>(
    isUrgent: boolean,
    work: (client: pg.PoolClient) => Promise<T>,
    until = performance.now() + maxWaitMs,
  ): Promise<T> {
    await permits.acquire(isUrgent, until - performance.now());
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      if (!(error instanceof Error && codeOf(error) === refusal)) {
        permits.rejectWaiting(error);
        permits.release(isUrgent);
        throw error;
      }
      const unavailable = refused(error);
      const canWait = pool.totalCount > 0 && performance.now() < until;
      // An open connection serves the call. Its permit is missing for a time, so that not each call asks for another one.
      setTimeout(() => permits.release(isUrgent), canWait ? refusedMs : 0).unref();
      if (!canWait) throw unavailable;
      return use(isUrgent, work, until);
    }
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      // A connection whose answer is still to come must not be used again.
      broken = isOutage(error);
      throw error;
    } finally {
      client.release(broken);
      permits.release(isUrgent);
    }
  }

  return { use: (isUrgent, work) => use(isUrgent, work), close: () => pool.end() };
}
