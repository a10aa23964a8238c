import { limitTable } from "../generated/limits.ts";

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
  port: { text: "Port to listen on; 0 chooses a free port." },
  host: { text: "Address to listen on." },
  logLevel: { text: "Lowest level of logged events: info, error or silent." },
  metrics: { text: "Clients that may read /metrics: loopback (this machine), all or none.", default: "loopback" },
  trustedProxy: {
    text: "Take the address of a client from x-forwarded-for, which the proxy in front must set.",
    default: false,
  },
  publicUrl: { text: "Base URL of links to whole results.", defaultText: "the host of the request" },
  corsOrigins: {
    text: "Origins of web pages that may call the service; a call still needs a key.",
    defaultText: "all",
  },
  strictSandbox: { text: "Refuse to start on a machine that lacks a layer of the sandbox.", default: false },
  isolation: { text: "Reuse of the processes that execute runs: user, instance or run.", default: "user" },
  priority: {
    text: "Priority of the processes that execute runs: normal (that of the server) or low.",
    default: "normal",
  },
  csvRowIndex: { text: "Add a last column __row_index to rows of the format csv.", default: false },
  sources: {
    text: "Data sources, in place of those in the data directory.",
    defaultText: "the sources in the data directory",
  },
  "jwt.jwks": { text: "URL or file of the public keys (JWKS) of an identity provider.", defaultText: "none" },
  "jwt.issuer": { text: "Required claim iss of tokens.", defaultText: "none" },
  "jwt.audience": { text: "Required member of the claim aud of tokens.", defaultText: "none" },
  "jwt.tenant": { text: "Tenant of all tokens, unless jwt.claims.tenant is set.", defaultText: "none" },
  "jwt.claims.tenant": { text: "Claim with the tenant.", defaultText: "tenant, unless jwt.tenant is set" },
  "jwt.claims.user": { text: "Claim with the user.", default: "sub" },
  "jwt.claims.scopes": { text: "Claim with the scopes.", default: "scope" },
  "jwt.claims.sources": {
    text: "Claim with the data sources that the caller may query.",
    defaultText: "none: tokens allow all sources",
  },
  ...Object.fromEntries(limits),
};
