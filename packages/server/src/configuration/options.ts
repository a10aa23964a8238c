import type { SourceKind } from "@quern/adapter";
import type { Isolation, Priority } from "@quern/duckdb";
import type { StorageOptions } from "../adapters/storage-options.ts";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { ServerLimits } from "../generated/limits.ts";
import type { JwtOptions } from "../identity/jwt-authenticator.ts";
import type { AuditOptions } from "../telemetry/audit-log.ts";
import type { MetricsAccess } from "../telemetry/health-routes.ts";

export interface ServerOptions extends StorageOptions {
  /** Data directory of the service, created if it does not exist. One server at a time can use it. */
  readonly dataDir: string;
  /** API key of the first user. @default a generated key if there is no active one, see {@link Server.firstKey} */
  readonly apiKey?: string | undefined;
  readonly limits?: ServerLimits | undefined;
  /** Refuses to start on a machine that lacks a layer of the sandbox other than `landlock`. @default false */
  readonly strictSandbox?: boolean | undefined;
  /**
   * User ids of the processes of statements and results, `<first>-<last>`. A service that is root gives each process one
   * of them.
   * @default "90000-90255", which belong neither to accounts nor to containers on most machines
   */
  readonly processUids?: string | undefined;
  /**
   * Reuse of the processes that execute runs. A process executes one run after the other, and only runs of one user on
   * one DuckDB source. With `user` its runs share an engine; with `instance` each run has a new engine in the process;
   * with `run` each run has a new process.
   * @default "user"
   */
  readonly isolation?: Isolation | undefined;
  /**
   * Priority of the processes that execute runs and read pages: that of the server, and a lower one for filtered and
   * sorted pages (`normal`), or a lower one for all (`low`).
   * @default "normal"
   */
  readonly priority?: Priority | undefined;
  /**
   * Base URL under which clients reach the service, used in download links.
   * @default taken from the host of the request
   */
  readonly publicUrl?: string | undefined;
  /** Lets each link to a whole result be used for one download. @default false */
  readonly singleUseLinks?: boolean | undefined;
  /**
   * Redirects downloads to the bucket of the results where it has the file in the requested format, which is Parquet.
   * Clients must be able to reach the bucket.
   * @default false
   */
  readonly downloadsFromStorage?: boolean | undefined;
  /** Adds a last column `__row_index` to rows of the csv format, as the old service did. @default false */
  readonly csvRowIndex?: boolean | undefined;
  /** Clock of the service. @default the clock of the machine */
  readonly clock?: Clock | undefined;
  /**
   * Adapters by the name that `kind` of a source gives. The server adds `duckdb` unless it is given, and closes all of
   * them.
   */
  readonly sourceKinds?: Readonly<Record<string, SourceKind>> | undefined;
  /**
   * Packages of adapters by the name that `kind` of a source gives, such as `{ sqlite: "quern-sqlite" }`. A package is
   * loaded when a source needs it.
   * @default `clickhouse`, `postgres` and `trino`, which are packages of Quern
   */
  readonly adapters?: Readonly<Record<string, string>> | undefined;
  /** Accepts JWTs of an identity provider in addition to API keys. @default API keys only */
  readonly jwt?: JwtOptions | undefined;
  /**
   * Clients that may read `/metrics`: processes of this machine (`loopback`), all that reach the port (`all`), or
   * `none`.
   * @default "loopback"
   */
  readonly metrics?: MetricsAccess | undefined;
  /**
   * Host names beside loopback names under which processes of this machine may read `/metrics`. Other names are refused,
   * because a web page can point its own name at this machine (DNS rebinding).
   * @default none
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Takes the address of a client from `x-forwarded-for`, which the proxy in front must set. @default false */
  readonly trustedProxy?: boolean | undefined;
  /** Web origins whose pages may call the service. @default all, since each call needs a key */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Files of the audit log. @default a new file at 100 MB */
  readonly audit?: AuditOptions | undefined;
  /**
   * Time in seconds for which `close` still answers calls, while `/readyz` answers HTTP 503, so that a load balancer can
   * send calls to another server first.
   * @default 0
   */
  readonly shutdownDelaySeconds?: number | undefined;
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
