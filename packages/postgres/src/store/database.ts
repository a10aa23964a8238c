import { UnavailableError } from "@quern/adapter";
import type pg from "pg";
import { type ConnectionsOptions, createConnections, withoutTimeLimits } from "./connections.ts";
import { isConcurrencyFailure, isConnectionFailure, isOutage } from "./outage.ts";
import { toStored } from "./values.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Statements on one connection, or on any. */
export interface Queries {
  /** Executes a statement that each connection prepares once. */
  rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  /** Executes a statement whose text is rarely the same. */
  rowsOnce(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** Statements of a transaction. */
export interface Transaction extends Queries {
  /** Executes the last statement, and sends COMMIT together with it, so that locks are held for one round trip less. */
  lastRows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  /** Ends a transaction that has only locked rows. Unlike a commit, this does not wait for the disk. */
  rollback(): void;
}

interface Calls extends Queries {
  /** Performs a transaction, with up to 20 attempts: another one follows {@link conflict}, or if a concurrent one won. */
  transaction<T>(work: (queries: Transaction) => Promise<T>): Promise<T>;
}

export interface Database extends Calls {
  /** Calls that do not wait for slow ones. Unless there is only one connection, one is reserved for them. */
  readonly urgent: Calls;
  /**
   * Milliseconds since the first call after the start, or after the last failure of a connection, succeeded; 0 before.
   * Measured by a monotonic clock.
   */
  connectedMs(): number;
  /** Lets new rows of runs, requests and statements reuse the space of deleted ones. It has no time limit. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** Error by which a transaction asks to be repeated, because a record that it has read was changed meanwhile. */
export const conflict = new Error("a record was changed by another writer");

const maxTries = 20;

const vacuum = "VACUUM runs, requests, statements, requested_runs, run_tags, idempotency_keys";

/** Opens a database. Connections are made when they are needed. */
export function openDatabase({ onError, ...options }: ConnectionsOptions): Database {
  const { address } = options;
  const names = new Map<string, string>();
  let connectedAt: number | undefined;
  const connections = createConnections({
    ...options,
    onError(message, error) {
      if (isConnectionFailure(error)) connectedAt = undefined;
      onError(message, error);
    },
  });

  function nameOf(text: string): string {
    const name = names.get(text) ?? `quern_${names.size}`;
    names.set(text, name);
    return name;
  }

  /** Returns the error to throw for an error of a call: an `UnavailableError` for an outage. */
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

  async function guarded<T>(isUrgent: boolean, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      const outcome = await connections.use(isUrgent, work);
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
            return await tryTransaction(client, queriesOf(client), work);
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
    async vacuum() {
      try {
        await withoutTimeLimits(address, (client) => client.query(vacuum));
      } catch (error) {
        throw explained(error);
      }
    },
    close: () => connections.close(),
  };
}

async function tryTransaction<T>(
  client: pg.PoolClient,
  queries: Queries,
  work: (queries: Transaction) => Promise<T>,
): Promise<T> {
  // Sent together with the first statement. If it fails, so do the others.
  const begun = client.query("BEGIN");
  begun.catch(() => {});
  let ended: Promise<unknown> | undefined;
  function end(text: "COMMIT" | "ROLLBACK"): void {
    ended = client.query(text);
    ended.catch(() => {});
  }
  function lastRows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const rows = queries.rows(text, ...values);
    // After a statement that fails, it rolls the transaction back.
    end("COMMIT");
    return rows;
  }
  try {
    const outcome = await work({ ...queries, lastRows, rollback: () => end("ROLLBACK") });
    await begun;
    await (ended ?? client.query("COMMIT"));
    return outcome;
  } catch (error) {
    // A deadlock leaves the connection in a failed transaction, in which a retry would fail too.
    if (!isOutage(error) || isConcurrencyFailure(error)) await client.query("ROLLBACK");
    throw error;
  }
}
