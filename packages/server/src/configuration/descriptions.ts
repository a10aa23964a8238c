import { defaultUserIds } from "@quern/duckdb";
import { storageDefaults } from "../adapters/storage-options.ts";
import { limitTable } from "../generated/limits.ts";
import { defaultMaxLifetimeSeconds } from "../identity/jwt-authenticator.ts";
import { auditDefaults } from "../telemetry/audit-log.ts";

/** Meaning and default of a setting. */
export interface Description {
  readonly text: string;
  readonly unit?: string;
  readonly default?: string | number | boolean;
  /**
   * Description of a default that is no value of the setting, such as `none`, or that is computed, or that differs
   * between tenants.
   */
  readonly defaultText?: string;
}

const limits = Object.entries(limitTable).map(([name, limit]): [string, Description] => [`limits.${name}`, limit]);

/**
 * Descriptions of all settings, by name. `dataDir`, `host`, `port` and `logLevel` have no default here, because they
 * are options of the program that starts the server.
 */
export const descriptions: Readonly<Record<string, Description>> = {
  dataDir: { text: "Directory of runs, results, keys and data sources." },
  store: {
    text: "Address of a PostgreSQL database that several servers share, such as postgres://quern@db.example.com/quern, without a password; needs the package @quern/postgres.",
    defaultText: "a file in the data directory",
  },
  storePasswordFile: {
    text: "File with the password of the store; the variable QUERN_STORE_PASSWORD overrides it.",
    defaultText: "none",
  },
  storeCacheSeconds: {
    text: "Longest time for which a server with a shared store uses a key or the limits of a tenant after they were changed; 0 reads them at each call.",
    unit: "seconds",
    default: storageDefaults.storeCacheSeconds,
  },
  leaseSeconds: {
    text: "Time after which other servers of a shared store execute the runs of a server that no longer renews their leases.",
    unit: "seconds",
    default: storageDefaults.leaseSeconds,
  },
  results: {
    text: "Address of a bucket for the results, such as s3://bucket/prefix, which a shared store needs; needs the package @quern/s3.",
    defaultText: "files in the data directory",
  },
  maxResultCacheBytes: {
    text: "Maximum size of the local copies of results in a bucket.",
    unit: "bytes",
    default: storageDefaults.maxResultCacheBytes,
  },
  port: { text: "Port to listen on; 0 chooses a free port." },
  host: { text: "Address to listen on." },
  logLevel: { text: "Lowest level of logged events: debug, info, warn, error or silent." },
  metrics: { text: "Clients that may read /metrics: loopback (this machine), all or none.", default: "loopback" },
  allowedHosts: {
    text: "Host names, in addition to loopback names, under which programs of this machine may read /metrics.",
    defaultText: "none",
  },
  trustedProxy: {
    text: "Take the address of a client from x-forwarded-for, which the proxy in front must set.",
    default: false,
  },
  publicUrl: { text: "Base URL of links to whole results.", defaultText: "the host of the request" },
  downloadsFromStorage: {
    text: "Redirect downloads of Parquet files to the bucket of the results, which clients must be able to reach.",
    default: false,
  },
  singleUseLinks: { text: "Let each link to a whole result be used for one download.", default: false },
  corsOrigins: {
    text: "Origins of web pages that may call the service; a call still needs a key.",
    defaultText: "all",
  },
  strictSandbox: {
    text: "Refuse to start on a machine that lacks a layer of the sandbox other than landlock.",
    default: false,
  },
  processUids: {
    text: "User ids of the processes of statements and results, <first>-<last>; a service that is root gives each process an id of its own.",
    default: defaultUserIds,
  },
  isolation: {
    text: "Shared by the runs of one user on one DuckDB source: a process and its engine (user), a process (instance) or nothing (run).",
    default: "user",
  },
  priority: {
    text: "Priority of the processes that execute runs and read pages: normal (that of the server, lower for filtered and sorted pages) or low.",
    default: "normal",
  },
  shutdownDelaySeconds: {
    text: "Time for which a stopping service still answers calls, while /readyz answers 503.",
    unit: "seconds",
    default: 0,
  },
  csvRowIndex: { text: "Add a last column __row_index to rows of the format csv.", default: false },
  maxSourceCacheBytes: {
    text: "Maximum size of the local copies of data sources in a bucket.",
    unit: "bytes",
    default: storageDefaults.maxSourceCacheBytes,
  },
  sources: {
    text: "Data sources: a list, which replaces those in the data directory, or the address of a bucket for quern sources, such as s3://bucket/prefix, which replaces the loaded tables there; a bucket needs the package @quern/s3.",
    defaultText: "the sources in the data directory",
  },
  adapters: {
    text: "Packages of further kinds of data sources: a JSON object, or a list such as sqlite=quern-sqlite.",
    defaultText: "clickhouse, postgres and trino, which are packages of Quern",
  },
  "audit.rotation": {
    text: "Rotation of the audit log: a new file at a size (size), or for each day in UTC (daily).",
    default: auditDefaults.rotation,
  },
  "audit.maxFileBytes": {
    text: "Maximum size of a file of the audit log, if audit.rotation is size.",
    unit: "bytes",
    default: auditDefaults.maxFileBytes,
  },
  "audit.stdout": { text: "Also write each line of the audit log to stdout.", default: auditDefaults.stdout },
  "jwt.jwks": { text: "URL or file of the public keys (JWKS) of an identity provider.", defaultText: "none" },
  "jwt.issuer": { text: "Required claim iss of tokens.", defaultText: "none" },
  "jwt.audience": { text: "Required member of the claim aud of tokens.", defaultText: "none" },
  "jwt.tenant": { text: "Tenant of all tokens, unless jwt.claims.tenant is set.", defaultText: "none" },
  "jwt.maxLifetimeSeconds": {
    text: "Longest lifetime of a token; the service refuses a token that is valid for longer.",
    unit: "seconds",
    default: defaultMaxLifetimeSeconds,
  },
  "jwt.claims.tenant": { text: "Claim with the tenant.", defaultText: "tenant, unless jwt.tenant is set" },
  "jwt.claims.user": { text: "Claim with the user.", default: "sub" },
  "jwt.claims.scopes": { text: "Claim with the scopes.", default: "scope" },
  "jwt.claims.sources": {
    text: "Claim with the data sources that the caller may query.",
    defaultText: "none: tokens allow all sources",
  },
  ...Object.fromEntries(limits),
};
