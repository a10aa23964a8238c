import { UnavailableError } from "@quern/adapter";
import pg from "pg";
import type { Address } from "./address.ts";
import { isConcurrencyFailure, isConnectionFailure, isOutage } from "./outage.ts";
import { createPermits } from "./permits.ts";
import { toStored, valueTypes } from "./values.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Statements on one connection, or on any. */
export interface Queries {
  /** Executes a statement that each connection prepares once. */
  rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  /** Executes a statement whose text is rarely the same. */
  rowsOnce(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

interface Calls extends Queries {
  /** Performs a transaction. It is repeated, up to 20 times, if it throws {@link conflict} or a concurrent one won. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

export interface Database extends Calls {
  /** Calls that do not wait for slow ones. Unless there is only one connection, one is reserved for them. */
  readonly urgent: Calls;
  /**
   * Milliseconds since the first call after the start, or after the last failure of a connection, succeeded; 0 before.
   * Measured by a monotonic clock.
   */
  connectedMs(): number;
  close(): Promise<void>;
}

/** Error by which a transaction asks to be repeated, because a record that it has read was changed meanwhile. */
export const conflict = new Error("a record was changed by another writer");

export interface DatabaseOptions {
  readonly address: Address;
  readonly maxConnections: number;
  readonly onError: (message: string, error: unknown) => void;
}

const maxTries = 20;
/** Maximum wait of a call for a connection. */
const maxWaitMs = 10_000;

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

/** Opens a pool of connections. They are made when they are needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const { address, maxConnections, onError } = options;
  const pool = new pg.Pool({ ...connectionConfig(address), max: maxConnections, idleTimeoutMillis: 60_000 });
  const permits = createPermits({ count: maxConnections, reserved: maxConnections > 1 ? 1 : 0, maxWaitMs });
  const names = new Map<string, string>();
  let connectedAt: number | undefined;

  // Without a listener, the end of a connection between two statements of a transaction would end the process. The next
  // statement on it fails.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => {
    if (isConnectionFailure(error)) connectedAt = undefined;
    onError(`a connection to ${address.text} ended`, error);
  });

  function nameOf(text: string): string {
    const name = names.get(text) ?? `quern_${names.size}`;
    names.set(text, name);
    return name;
  }

  /** Returns the error to throw for one of a call. */
  function explained(error: unknown): unknown {
    if (!isOutage(error)) return error;
    if (isConnectionFailure(error)) connectedAt = undefined;
    return new UnavailableError(`${address.text} is unavailable; try again later`, { cause: error });
  }

  function queriesOf(client: pg.PoolClient): Queries {
    return {
      rows: async (text, ...values) =>
        (await client.query({ name: nameOf(text), text, values: values.map(toStored) })).rows,
      rowsOnce: async (text, values) => (await client.query({ text, values: values.map(toStored) })).rows,
    };
  }

  /** Performs work on a connection. Waits for a free one, unless no connection can be made. */
  async function onConnection<T>(isUrgent: boolean, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await permits.acquire(isUrgent);
    try {
      const client = await pool.connect().catch((error: unknown) => {
        permits.rejectWaiting(error);
        throw error;
      });
      let broken = false;
      try {
        return await work(client);
      } catch (error) {
        // A connection whose answer is still to come must not be used again.
        broken = isOutage(error);
        throw error;
      } finally {
        client.release(broken);
      }
    } finally {
      permits.release(isUrgent);
    }
  }

  async function guarded<T>(isUrgent: boolean, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      const outcome = await onConnection(isUrgent, work);
      connectedAt ??= performance.now();
      return outcome;
    } catch (error) {
      throw explained(error);
    }
  }

  const callsOf = (isUrgent: boolean): Calls => ({
    rows: (text, ...values) => guarded(isUrgent, (client) => queriesOf(client).rows(text, ...values)),
    rowsOnce: (text, values) => guarded(isUrgent, (client) => queriesOf(client).rowsOnce(text, values)),
    transaction: (work) =>
      guarded(isUrgent, async (client) => {
        for (let triesLeft = maxTries; ; triesLeft -= 1) {
          try {
            return await tryTransaction(client, () => work(queriesOf(client)));
          } catch (error) {
            if (triesLeft <= 1 || (error !== conflict && !isConcurrencyFailure(error))) throw error;
          }
        }
      }),
  });

  return {
    ...callsOf(false),
    urgent: callsOf(true),
    connectedMs: () => (connectedAt === undefined ? 0 : performance.now() - connectedAt),
    close: () => pool.end(),
  };
}

async function tryTransaction<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  // Sent together with the first statement. If it fails, so do the others.
  const begun = client.query("BEGIN");
  begun.catch(() => {});
  try {
    const outcome = await work();
    await begun;
    await client.query("COMMIT");
    return outcome;
  } catch (error) {
    // A deadlock leaves the connection in a failed transaction, in which a retry would fail too.
    if (!isOutage(error) || isConcurrencyFailure(error)) await client.query("ROLLBACK");
    throw error;
  }
}
