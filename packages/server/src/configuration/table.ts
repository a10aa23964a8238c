import type { SchemaTable } from "@quern/protocol/validator";
import { limitSchemas } from "../common/limits.ts";
import type { LogOptions } from "../common/log.ts";
import type { ServerOptions } from "./options.ts";

/** Settings of an operator. The file, the environment and the command line can each set all of them. */
export interface Configuration
  extends Pick<
    ServerOptions,
    | "sources"
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
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  host: string,
  logLevel: { enum: ["info", "error", "silent"] },
  metrics: { enum: ["loopback", "all", "none"] },
  allowedHosts: { type: "array", items: { type: "string", pattern: "^[^/\\s]+$" } },
  trustedProxy: boolean,
  publicUrl: { type: "string", pattern: "^https?://" },
  singleUseLinks: boolean,
  downloadsFromStorage: boolean,
  corsOrigins: { type: "array", items: { type: "string", pattern: "^https?://[^/]+$" } },
  strictSandbox: boolean,
  processUids: { type: "string", pattern: "^[0-9]{1,10}-[0-9]{1,10}$" },
  isolation: { enum: ["user", "instance", "run"] },
  priority: { enum: ["normal", "low"] },
  shutdownDelaySeconds: { type: "number", minimum: 0, maximum: 3_600 },
  csvRowIndex: boolean,
  sources: {
    type: "array",
    minItems: 1,
    items: group(
      {
        name: string,
        provider: string,
        // The adapters of the server determine the kinds, so the source catalog checks this member.
        kind: string,
        path: string,
        isDefault: boolean,
        oldNames: boolean,
        runAs: { enum: ["fixed", "user"] },
      },
      ["name", "provider"],
    ),
  },
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
