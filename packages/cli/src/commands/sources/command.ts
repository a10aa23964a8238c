import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { type StoreFlags, type StoreListFlags, storeFlags, storeListFlags } from "../../data-directory/flags.ts";
import { pairFlag } from "../../flags.ts";
import { csvFlags } from "../../loading/csv-flags.ts";
import type { AddFlags, CheckFlags } from "./action.ts";

const loader = () => import("./action.ts");

const text = { kind: "parsed", parse: String, optional: true } as const;

const sourcesFlags = {
  ...storeFlags,
  config: {
    ...storeFlags.config,
    brief:
      "JSON file of settings, which names the bucket of the sources if they are not in the data directory. Default: the file that QUERN_CONFIG names.",
  },
} as const;

const source = { parse: String, placeholder: "source", brief: "Name of the source." } as const;
const maybeSource = { ...source, optional: true, brief: "Only this source." } as const;
const from = {
  parse: String,
  placeholder: "from",
  brief:
    "Parquet, Arrow, CSV or JSON file, folder or glob of such files, s3://bucket/path of a file or folder, DuckDB file, postgres://user@host/database, or the address of an engine such as trino://user@host/catalog/schema.",
} as const;
const tables = {
  parse: String,
  placeholder: "table",
  brief: "Name of the source, then the names of its tables in SQL. Default: all its tables.",
} as const;

const addCommand = buildCommand<AddFlags, [source: string, from: string], Context>({
  loader: async () => (await loader()).runAdd,
  parameters: {
    flags: {
      as: {
        ...text,
        placeholder: "name",
        brief:
          "Name in SQL: table, schema.table or catalog.schema.table; schema or catalog.schema for all tables of a PostgreSQL schema; catalog for a whole DuckDB file. Default: derived from the names of the origin and the source.",
      },
      table: { ...text, placeholder: "name", brief: "Load only this table of a database." },
      schema: {
        ...text,
        placeholder: "name",
        brief: "Schema of a PostgreSQL database, or of --table in a DuckDB file. Default: public, or main.",
      },
      type: {
        ...pairFlag,
        placeholder: "column=type",
        brief: "DuckDB type of a column of CSV or JSON files, such as code=VARCHAR; may be repeated.",
      },
      allText: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Load columns of CSV or JSON files as text, except columns with a --type.",
      },
      ...csvFlags,
      runAs: {
        kind: "enum",
        values: ["fixed", "user"],
        optional: true,
        brief:
          "Sharing of runs: with user, each user has runs of their own; with fixed, users of a tenant share runs. Default: the present setting; fixed for a new source.",
      },
      kind: {
        ...text,
        placeholder: "name",
        brief:
          "Query the engine in place, and load no table: postgres, or the name of an adapter of your own. Default: the engine of an address such as trino://; others load tables.",
      },
      tenant: {
        ...text,
        placeholder: "id",
        brief: "Only tenant that may query an engine that is queried in place. Default: all tenants.",
      },
      passwordFile: {
        ...text,
        placeholder: "file",
        brief: "File with the password of an engine that is queried in place.",
      },
      passwordVariable: {
        ...text,
        placeholder: "name",
        brief: "Variable of the environment of the service with the password of an engine that is queried in place.",
      },
      ...sourcesFlags,
    },
    positional: { kind: "tuple", parameters: [source, from] },
  },
  docs: {
    brief: "Load tables into a source, which is created if it does not exist, or add a source of another engine.",
    fullDescription: [
      "Loads a file as a table, or the tables of a database, into a source. Queries see the tables once all are loaded.",
      "For the address of an engine such as Trino, or with --kind, queries run on the engine itself.",
      "",
      "EXAMPLES",
      "  quern sources add shop orders/ --data-dir ./data",
      "  quern sources add shop 'exports/*.csv' --as main.customers",
      "  quern sources add shop codes.csv --type code=VARCHAR --type price='DECIMAL(10,2)'",
      "  quern sources add shop report.csv --skip 2 --delimiter ';' --decimal-separator , --encoding latin1",
      "  quern sources add shop postgres://reader@localhost/shop --schema public --as crm",
      "  quern sources add shop 's3://exports/orders?endpoint=https://storage.example.com'",
      "  quern sources add lake 'trino://reader@trino.example.com:8443/hive/sales?SSL=true' --password-file /run/secrets/trino",
      "  quern sources add live postgres://reader@localhost/shop --kind postgres --password-variable SHOP_PASSWORD",
      "",
      "ENVIRONMENT",
      "  PGPASSWORD  Password of PostgreSQL. It is not stored.",
      "  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE",
      "              Credentials of object storage. They are not stored.",
      "  QUERN_SOURCES  Bucket of the sources, if the service has the setting sources.",
    ].join("\n"),
  },
});

const loadCommand = buildCommand<StoreFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runLoad,
  parameters: {
    flags: sourcesFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: {
    brief: "Reload tables of a source from their origin.",
    fullDescription: [
      "Reloads all tables of a source, or only the given ones, from their origin. Running queries keep the old tables.",
      "",
      "EXAMPLES",
      "  quern sources load shop",
      "  quern sources load shop orders crm",
    ].join("\n"),
  },
});

const removeCommand = buildCommand<StoreFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runRemove,
  parameters: {
    flags: sourcesFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: { brief: "Remove a source, or only the given tables of it." },
});

const listCommand = buildCommand<StoreListFlags, [source?: string], Context>({
  loader: async () => (await loader()).runList,
  parameters: {
    flags: { ...storeListFlags, ...sourcesFlags },
    positional: { kind: "tuple", parameters: [maybeSource] },
  },
  docs: { brief: "List the tables of the sources, with their origin and estimated number of rows." },
});

const checkCommand = buildCommand<CheckFlags, [source?: string], Context>({
  loader: async () => (await loader()).runCheck,
  parameters: {
    flags: {
      user: { ...text, placeholder: "id", brief: "User in whose name sources with --run-as user are checked." },
      tenant: { ...text, placeholder: "id", brief: "Tenant of this user. Default: the --tenant of the source." },
      ...storeListFlags,
      ...sourcesFlags,
    },
    positional: { kind: "tuple", parameters: [maybeSource] },
  },
  docs: {
    brief: "Read all tables of the sources, run a statement on other engines, and report what fails.",
  },
});

/** `quern sources`: data sources of the service and their tables. */
export const sourcesRoute = buildRouteMap({
  routes: { add: addCommand, load: loadCommand, list: listCommand, check: checkCommand, remove: removeCommand },
  docs: { brief: "Load, list, check and remove tables of the service." },
});
