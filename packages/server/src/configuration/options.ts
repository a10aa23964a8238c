import type { SourceKind } from "@quern/adapter";
import type { StorageOptions } from "../adapters/storage-options.ts";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { ServerSettings } from "../generated/settings.ts";

export interface ServerOptions extends Omit<ServerSettings, "store" | "results">, StorageOptions {
  /** Data directory of the service, created if it does not exist. One server at a time can use it. */
  readonly dataDir: string;
  /**
   * Adapters by the name that `kind` of a source gives. The server adds `duckdb` unless it is given, and closes all of
   * them.
   */
  readonly sourceKinds?: Readonly<Record<string, SourceKind>> | undefined;
  /** Clock of the service. @default the clock of the machine */
  readonly clock?: Clock | undefined;
  /** Log of the service. @default warnings and errors, as JSON lines on stderr */
  readonly log?: Log | undefined;
}

export interface Server extends AsyncDisposable {
  /** API key that was generated because there was no active one. It is not stored, so it can be shown only once. */
  readonly firstKey: string | undefined;
  /**
   * Starts to listen for HTTP requests.
   * @param port 0 takes a free port. @default 0
   * @param host address of the interface. @default "127.0.0.1"
   */
  listen(port?: number, host?: string): Promise<{ readonly url: string }>;
  /**
   * Returns a link that signs a browser in to the console. It works once, for five minutes, and gives the browser a key
   * of its own with the scopes `run`, `read` and `cancel`, which expires after 12 hours.
   * @throws if there is no console, or the server does not listen on a loopback address
   */
  signInLink(): string;
  /**
   * Removes expired results, the records of runs that ended more than 45 days ago and have no result any more, and
   * orphaned files. At the interval `reapIntervalMs`, the server does so itself. Of several servers with a shared
   * store, one does, and removes orphaned files at most once an hour.
   */
  reap(): Promise<void>;
  /**
   * Stops the server: answers calls for `shutdownDelaySeconds`, then waits at most five seconds for the requests in
   * progress, and answers new calls with HTTP 503 meanwhile. A second call ends the delay. Executing runs return to the
   * queue; the next server on the data directory, or another server of a shared store, executes them from the start.
   */
  close(): Promise<void>;
}
