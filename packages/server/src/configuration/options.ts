import type { Executor, SourceConfiguration } from "@quern/adapter";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { JwtOptions } from "../identity/jwt-authenticator.ts";
import type { MetricsAccess } from "../operation/doors.ts";

export interface ServerOptions {
  /** Where the service keeps all it knows; made when it does not exist. One server at a time owns it. */
  readonly dataDir: string;
  /** The first is the default where none is marked. Left out: the files in `sources/` of the data directory. */
  readonly sources?: readonly SourceConfiguration[] | undefined;
  /** The first user's API key. Left out: a key is made for a server that has none, see {@link Server.firstKey}. */
  readonly apiKey?: string | undefined;
  readonly limits?: ServerLimits | undefined;
  /** Whether the server refuses to start where the machine lacks a layer of the sandbox; it starts where left out. */
  readonly strictSandbox?: boolean | undefined;
  /** The address at which callers reach the service, for links to results; left out: the host their requests name. */
  readonly publicUrl?: string | undefined;
  /** Rows of the format csv end with a column `__row_index`, as those of the old service did; off where left out. */
  readonly csvRowIndex?: boolean | undefined;
  /** Where the time is read. */
  readonly clock?: Clock | undefined;
  /** What runs the statements; DuckDB in child processes where left out. The server closes it. */
  readonly executor?: Executor | undefined;
  /** Tokens that are taken beside API keys; none where left out. */
  readonly jwt?: JwtOptions | undefined;
  /** Who may collect `/metrics`: processes of this machine, or anyone who reaches the port; `loopback` where left out. */
  readonly metrics?: MetricsAccess | undefined;
  /** Take the address of a caller from the proxy in front, by `x-forwarded-for`; off where left out. */
  readonly trustedProxy?: boolean | undefined;
  /** The web pages that may call from a browser; all where left out, since a call is allowed by its key. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** What the operator is told; errors, as JSON lines on stderr, where left out. */
  readonly log?: Log | undefined;
}

/** What a caller or a run may use. */
export interface ServerLimits {
  /** Unfinished runs of one tenant. Left out: 15, and no cap for the first key's tenant. */
  readonly maxUnfinishedRuns?: number;
  /** Runs of one tenant that execute at once; the others wait. Left out: 5, and no cap for the first key's tenant. */
  readonly maxRunningRunsOfTenant?: number;
  /** Runs of all tenants that wait; more are refused. 10,000 where left out. */
  readonly maxQueuedRuns?: number;
  /** Runs that execute at once; the processors of the machine where left out. */
  readonly maxRunningRuns?: number;
  /** After this long a run fails with `QueryRunTimedOut`; 1,200 where left out. */
  readonly statementTimeoutSeconds?: number;
  /** Memory of a statement's engine; 1,000 where left out. Its process gets 1,000 more for all that is not counted. */
  readonly memoryMegabytes?: number;
  /** Disk for what does not fit into the memory of a statement; 4,000 where left out. */
  readonly spillMegabytes?: number;
  /** A larger result fails its run with `ResultTooLarge`; 10,000,000,000 where left out. */
  readonly maxResultBytes?: number;
  /** A longer result fails its run with `ResultTooLarge`; no cap where left out. */
  readonly maxResultRows?: number;
  /** No run is begun while more than this share of the disk is used; 0.95 where left out. */
  readonly maxDiskShare?: number;
  /** JSON of one page of results; 30,000,000 where left out. */
  readonly maxPageBytes?: number;
  readonly describeTimeoutSeconds?: number;
  /** HTTP requests of one key in a second, a batch as one; more are answered with HTTP 429. No limit where left out. */
  readonly requestsPerSecond?: number;
  /** How many of them may come at once after a pause; those of one second where left out. */
  readonly requestBurst?: number;
  /** Seconds of execution that each user has in a calendar month (UTC); no limit where left out. */
  readonly monthlyExecSeconds?: number;
  /** Bytes of the body of one HTTP request; 4 MiB where left out. */
  readonly maxBodyBytes?: number;
  /** Calls of one batch; 1,000 where left out. */
  readonly maxBatch?: number;
  /** Depth of nested arrays and objects of a body; 100 where left out. */
  readonly maxDepth?: number;
  /** How often expired results are looked for; 60,000 where left out. */
  readonly reapIntervalMs?: number;
}

export interface Server extends AsyncDisposable {
  /** The API key that was made because there was none. It is kept nowhere: show it once. */
  readonly firstKey: string | undefined;
  /** Answers HTTP from now on. Port 0 takes any free one. */
  listen(port?: number, host?: string): Promise<{ readonly url: string }>;
  /** Removes the results whose retention is over now, which also happens by itself. */
  reap(): Promise<void>;
  /**
   * Ends what waits, answers what is under way, and refuses other requests with HTTP 503 until then. Unfinished runs go
   * on when a server takes the data directory again.
   */
  close(): Promise<void>;
}
