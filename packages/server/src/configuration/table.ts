import type { SchemaTable } from "@quern/protocol/validator";
import { limitSchemas } from "../common/limits.ts";
import type { LogOptions } from "../common/log.ts";
import type { ServerOptions } from "./options.ts";

/** What an operator may say about a service: the same in a file, in the environment and on the command line. */
export interface Configuration
  extends Pick<
    ServerOptions,
    | "sources"
    | "limits"
    | "strictSandbox"
    | "csvRowIndex"
    | "jwt"
    | "metrics"
    | "trustedProxy"
    | "publicUrl"
    | "corsOrigins"
  > {
  readonly dataDir?: string;
  readonly port?: number;
  readonly host?: string;
  readonly logLevel?: LogOptions["level"];
}

const text: SchemaTable = { type: "string", minLength: 1 };
const flag: SchemaTable = { type: "boolean" };

function group(properties: Readonly<Record<string, SchemaTable>>, required: readonly string[] = []): SchemaTable {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The names are those of the options of `createServer`. */
export const configurationTable: SchemaTable = group({
  dataDir: text,
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  host: text,
  logLevel: { enum: ["info", "error", "silent"] },
  metrics: { enum: ["loopback", "all", "none"] },
  trustedProxy: flag,
  publicUrl: { type: "string", pattern: "^https?://" },
  corsOrigins: { type: "array", items: { type: "string", pattern: "^https?://[^/]+$" } },
  strictSandbox: flag,
  csvRowIndex: flag,
  sources: {
    type: "array",
    minItems: 1,
    items: group(
      {
        name: text,
        provider: text,
        // Which kinds there are depends on the adapters of the server: the catalog of its sources checks it.
        kind: text,
        path: text,
        isDefault: flag,
        oldNames: flag,
        runAs: { enum: ["fixed", "user"] },
      },
      ["name", "provider"],
    ),
  },
  limits: group(limitSchemas),
  jwt: group(
    {
      jwks: text,
      issuer: text,
      audience: text,
      tenant: text,
      claims: group({ tenant: text, user: text, scopes: text, sources: text }),
    },
    ["jwks", "issuer", "audience"],
  ),
});
