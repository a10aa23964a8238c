import type { SourceConfiguration, SourceKind } from "@quern/adapter";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { ServerLimits } from "../generated/limits.ts";
import type { JwtOptions } from "../identity/jwt-authenticator.ts";
import type { MetricsAccess } from "../telemetry/health-routes.ts";

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
  /** Adapters by the name that `kind` of a source says; `duckdb` is there unless it is given. The server closes them. */
  readonly sourceKinds?: Readonly<Record<string, SourceKind>> | undefined;
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
