import type { ResultStore, SourceKind, Store } from "@quern/adapter";
import { createGate, duckdbKind, type Gate, startServer, type TestServer, type TestServerOptions } from "../fixture.ts";
import { createFakeOutage } from "../outages.ts";

/** Storage that several servers share: one database and one bucket, or stand-ins for them. */
export interface SharedStorage {
  /** Opens the store once more, as a server does that starts. Its `isShared` is true. */
  openStore(): Promise<Store>;
  /** Opens the results once more. */
  openResults(): Promise<ResultStore>;
}

/** Server of a test, whose statements with the word `held` wait at its gate. */
export interface SharedServer extends TestServer {
  readonly gate: Gate;
  /** Statements that began on this server. */
  readonly begun: readonly string[];
  /** Statements whose execution was aborted on this server, with the reason. */
  readonly aborted: readonly (readonly [sql: string, reason: unknown])[];
  readonly logged: readonly string[];
}

/** Starts a server on shared storage. */
export async function startShared(storage: SharedStorage, options: TestServerOptions = {}): Promise<SharedServer> {
  const gate = createGate();
  const begun: string[] = [];
  const aborted: [string, unknown][] = [];
  const logged: string[] = [];
  const inner = await duckdbKind();
  const kind: SourceKind = {
    ...inner,
    async begin(statement, signal) {
      begun.push(statement.sql);
      signal.addEventListener("abort", () => aborted.push([statement.sql, signal.reason]));
      if (statement.sql.includes("held")) await gate.pass(signal);
      return inner.begin(statement, signal);
    },
    async describe(query, signal) {
      begun.push(query.sql);
      if (query.sql.includes("held")) await gate.pass(signal);
      return inner.describe(query, signal);
    },
  };
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const [store, results] = [await storage.openStore(), await storage.openResults()];
  const server = await startServer({ store, results, kind, log, ...options });
  return Object.assign(server, { gate, begun, aborted, logged });
}

/** Starts a server whose store and result store can be away, beside the storage that others use. */
export async function startWithOutages(storage: SharedStorage, options: Parameters<typeof startShared>[1] = {}) {
  const store = createFakeOutage(await storage.openStore());
  const results = createFakeOutage(await storage.openResults());
  const wrapped = { openStore: async () => store.store, openResults: async () => results.store };
  const server = await startShared(wrapped, { storeCacheSeconds: 0, ...options });
  return { server, store, results };
}
