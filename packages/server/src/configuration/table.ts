import type { SchemaTable } from "@quern/protocol/validator";
import { limitSchemas } from "../common/limits.ts";
import { type LogOptions, logLevels } from "../common/log.ts";
import type { ServerOptions } from "./options.ts";

/** Settings of an operator. The file, the environment and the command line can each set all of them. */
export interface Configuration
  extends Pick<
    ServerOptions,
    | "sources"
    | "adapters"
    | "limits"
    | "strictSandbox"
    | "processUids"
    | "isolation"
    | "priority"
    | "csvRowIndex"
    | "jwt"
    | "metrics"
    | "allowedHosts"
    | "shutdownDelaySeconds"
    | "trustedProxy"
    | "publicUrl"
    | "singleUseLinks"
    | "downloadsFromStorage"
    | "corsOrigins"
    | "audit"
    | "storePasswordFile"
    | "maxResultCacheBytes"
    | "maxSourceCacheBytes"
    | "storeCacheSeconds"
    | "leaseSeconds"
  > {
  /** Address of a store. */
  readonly store?: string;
  /** Address of a result store. */
  readonly results?: string;
  readonly dataDir?: string;
  readonly port?: number;
  readonly host?: string;
  readonly logLevel?: LogOptions["level"];
}

const string: SchemaTable = { type: "string", minLength: 1 };
const boolean: SchemaTable = { type: "boolean" };

function group(properties: Readonly<Record<string, SchemaTable>>, required: readonly string[] = []): SchemaTable {
  return { type: "object", properties, required, additionalProperties: false };
}

/** JSON Schema of {@link Configuration}. */
export const configurationTable: SchemaTable = group({
  dataDir: string,
  store: string,
  storePasswordFile: string,
  storeCacheSeconds: { type: "number", minimum: 0, maximum: 3_600 },
  leaseSeconds: { type: "number", minimum: 3, maximum: 3_600 },
  results: string,
  maxResultCacheBytes: { type: "integer", minimum: 1_000_000 },
  maxSourceCacheBytes: { type: "integer", minimum: 1_000_000 },
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  host: string,
  logLevel: { enum: [...logLevels] },
  metrics: { enum: ["loopback", "all", "none"] },
  allowedHosts: {
    type: "array",
    items: { type: "string", pattern: "^[^/\\s]+$", patternText: "a host name such as quern.example" },
  },
  trustedProxy: boolean,
  publicUrl: { type: "string", pattern: "^https?://", patternText: "a URL that begins with https:// or http://" },
  singleUseLinks: boolean,
  downloadsFromStorage: boolean,
  corsOrigins: {
    type: "array",
    items: { type: "string", pattern: "^https?://[^/]+$", patternText: "an origin such as https://app.example" },
  },
  strictSandbox: boolean,
  processUids: {
    type: "string",
    pattern: "^[0-9]{1,10}-[0-9]{1,10}$",
    patternText: "two user ids such as 90000-90099",
  },
  isolation: { enum: ["user", "instance", "run"] },
  priority: { enum: ["normal", "low"] },
  shutdownDelaySeconds: { type: "number", minimum: 0, maximum: 3_600 },
  csvRowIndex: boolean,
  // Data sources, or the address of a bucket that has them.
  sources: {
    type: ["array", "string"],
    minItems: 1,
    minLength: 1,
    items: group(
      {
        name: string,
        provider: string,
        // The adapters of the server determine the kinds, so the source catalog checks this member.
        kind: string,
        path: string,
        address: string,
        password: { anyOf: [group({ file: string }, ["file"]), group({ variable: string }, ["variable"])] },
        isDefault: boolean,
        oldNames: boolean,
        runAs: { enum: ["fixed", "user"] },
        tenant: string,
      },
      ["name", "provider"],
    ),
  },
  adapters: { type: "object", additionalProperties: string, propertyNames: { pattern: "^[a-z][a-z0-9-]*$" } },
  audit: group({
    rotation: { enum: ["size", "daily"] },
    maxFileBytes: { type: "integer", minimum: 1_000 },
    stdout: boolean,
  }),
  limits: group(limitSchemas),
  jwt: group(
    {
      jwks: string,
      issuer: string,
      audience: string,
      tenant: string,
      maxLifetimeSeconds: { type: "number", minimum: 1 },
      claims: group({ tenant: string, user: string, scopes: string, sources: string }),
    },
    ["jwks", "issuer", "audience"],
  ),
});
