import { randomUUID } from "node:crypto";
import type { Store } from "@quern/adapter";
import { parseAddress } from "./address.ts";
import { readClock } from "./clock.ts";
import { openDatabase } from "./database.ts";
import { createPostgresKeyStore } from "./key-store.ts";
import { createPostgresLinkStore } from "./link-store.ts";
import { createListener } from "./listener.ts";
import { createPostgresNamedLeaseStore, readServers } from "./named-lease-store.ts";
import { createNotices, type VersionedNotice } from "./notices.ts";
import { createPoll } from "./poll.ts";
import { prepareDatabase } from "./prepare.ts";
import { createPostgresRateStore } from "./rate-store.ts";
import { createPostgresRecords } from "./record-tables.ts";
import { readRunCounts } from "./run-counts.ts";
import { isNoticed } from "./run-records.ts";
import { createPostgresRunStore } from "./run-store.ts";
import { createPostgresSettingStore } from "./setting-store.ts";
import { createPostgresTenantStore, createPostgresUsageStore } from "./tenant-store.ts";
import { createPostgresUploadStore } from "./upload-store.ts";

export interface PostgresStoreOptions {
  /** URL of the database: `postgres://user@host:port/database`, with the parameters of libpq such as `sslmode`. */
  readonly url: string;
  /** Password of the user. @default the password in the URL, that of `PGPASSWORD`, or that of the file `.pgpass` */
  readonly password?: string;
  /** Place in which an operator sets the password, for messages, such as `PGPASSWORD`. */
  readonly passwordPlace?: string;
  /**
   * Maximum number of connections, besides the one for notifications. Of several, one is reserved for claims and
   * renewals of leases.
   * @default 10
   */
  readonly maxConnections?: number;
  /**
   * Milliseconds after this store was opened, after an outage, and after a start of PostgreSQL in which no run is
   * reclaimed: owners renew their leases in them. At least the interval at which servers renew leases.
   * @default 10,000, the interval of servers with leases of 30 seconds
   */
  readonly reclaimDelayMs?: number;
  /** Milliseconds between polls for changes whose notification was lost. @default 2,000 */
  readonly pollMs?: number;
  /** Called with failures in the background, such as a lost connection. @default they are ignored */
  readonly onError?: (message: string, error: unknown) => void;
}

/**
 * Opens the store of several servers on a PostgreSQL database, and creates its schema if the database is empty. The clock of the
 * database is the clock of the store. Subscribers are notified of the changes by all servers.
 * @throws an error with a one-line message, without secrets, if the database cannot be reached, was not created by Quern, has
 * the schema of another version, or if its clock differs from that of this machine
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, password, maxConnections = 10, reclaimDelayMs = 10_000, pollMs = 2_000, onError = () => {} } = options;
  const address = parseAddress(url, password);
  await prepareDatabase(address, options.passwordPlace);
  const database = openDatabase({ address, maxConnections, onError });
  const sender = randomUUID();

  const notices = createNotices(database, (list) => listener.send(list.map((notice) => toText(sender, notice))));
  const poll = createPoll(database, notices.deliver);
  const pollNow = (): Promise<void> =>
    poll().catch((error: unknown) => onError(`changes in ${address.text} could not be read`, error));
  const listener = createListener({
    address,
    onText(text) {
      const notice = toNotice(text);
      if (notice !== undefined && notice.sender !== sender) notices.deliver(notice);
    },
    onConnected: () => void pollNow(),
    onError: (error) => onError(`the connection to ${address.text} for notifications ended`, error),
  });
  const timer = setInterval(() => {
    if (!notices.hasSubscribers) return;
    listener.check();
    void pollNow();
  }, pollMs);
  timer.unref();
  await listener.started;

  return {
    isShared: true,
    runs: createPostgresRunStore(database, notices, reclaimDelayMs),
    keys: createPostgresKeyStore(database),
    tenants: createPostgresTenantStore(database),
    usage: createPostgresUsageStore(database),
    settings: createPostgresSettingStore(database),
    links: createPostgresLinkStore(database),
    uploads: createPostgresUploadStore(database),
    rates: createPostgresRateStore(database),
    leases: createPostgresNamedLeaseStore(database),
    records: createPostgresRecords(database),
    servers: () => readServers(database),
    counts: () => readRunCounts(database),
    now: () => readClock(database),
    subscribe: notices.subscribe,
    compact: database.vacuum,
    async close() {
      clearInterval(timer);
      await listener.close();
      await database.close();
    },
  };
}

/** Returns the text of a notice: sender, version, state and run. */
function toText(sender: string, { version, state, runId }: VersionedNotice): string {
  return [sender, version, state, runId].join(" ");
}

/** Parses the text of a notice. Returns undefined for a text of another version of the package. */
function toNotice(text: string): (VersionedNotice & { readonly sender: string }) | undefined {
  const [sender, version, state, ...id] = text.split(" ");
  if (sender === undefined || state === undefined || id.length === 0 || !Number.isSafeInteger(Number(version))) return;
  // Checked by `isNoticed`, which is false for a state that this version does not know.
  const known = state as VersionedNotice["state"];
  return isNoticed(known) ? { sender, version: Number(version), state: known, runId: id.join(" ") } : undefined;
}
