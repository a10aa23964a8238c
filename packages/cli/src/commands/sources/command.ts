import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { type DataDirFlags, dataDirFlags, type ListFlags, listFlags } from "../../data-directory/flags.ts";
import { pairFlag } from "../../flags.ts";
import type { AddFlags } from "./action.ts";

const loader = () => import("./action.ts");

const text = { kind: "parsed", parse: String, optional: true } as const;

const source = { parse: String, placeholder: "source", brief: "The name of the source." } as const;
const maybeSource = { ...source, optional: true, brief: "Only this source." } as const;
const from = {
  parse: String,
  placeholder: "from",
  brief: "A Parquet, CSV or JSON file, a folder or glob of them, a DuckDB file, or postgres://user@host/database.",
} as const;
const tables = {
  parse: String,
  placeholder: "table",
  brief: "Only this table, by its name in SQL. Default: all tables of the source.",
} as const;

const addCommand = buildCommand<AddFlags, [source: string, from: string], Context>({
  loader: async () => (await loader()).runAdd,
  parameters: {
    flags: {
      as: {
        ...text,
        placeholder: "name",
        brief:
          "Name in SQL: table, schema.table or catalog.schema.table. Default: the name of the file or folder, without characters that need quotes.",
      },
      table: { ...text, placeholder: "name", brief: "Only this table of a database." },
      schema: { ...text, placeholder: "name", brief: "Schema of a PostgreSQL database. Default: public." },
      type: {
        ...pairFlag,
        placeholder: "column=type",
        brief: "DuckDB type of a column of CSV or JSON files, such as code=VARCHAR; repeatable.",
      },
      allText: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Load the columns of CSV or JSON files as text, except those with a --type.",
      },
      runAs: {
        kind: "enum",
        values: ["fixed", "user"],
        optional: true,
        brief: "user: users never share a run on the source; fixed: users of a tenant do.",
      },
      ...dataDirFlags,
    },
    positional: { kind: "tuple", parameters: [source, from] },
  },
  docs: {
    brief: "Load tables into a source; a new source is created.",
    fullDescription: [
      "Loads a table, or all of a database, into a source. Queries see it as soon as it is complete.",
      "PGPASSWORD is the password of PostgreSQL; it is not stored.",
      "",
      "EXAMPLES",
      "  quern sources add shop orders/ --data-dir ./data",
      "  quern sources add shop 'exports/*.csv' --as main.customers",
      "  quern sources add shop codes.csv --type code=VARCHAR --type price='DECIMAL(10,2)'",
      "  quern sources add shop postgres://reader@localhost/shop --schema public --as crm",
    ].join("\n"),
  },
});

const loadCommand = buildCommand<DataDirFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runLoad,
  parameters: {
    flags: dataDirFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: {
    brief: "Reload the tables of a source from their origin.",
    fullDescription: [
      "Reloads a source, or the tables named after it, from their origin. Running queries keep the old tables.",
      "",
      "EXAMPLES",
      "  quern sources load shop",
      "  quern sources load shop orders crm",
    ].join("\n"),
  },
});

const removeCommand = buildCommand<DataDirFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runRemove,
  parameters: {
    flags: dataDirFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: { brief: "Remove a source, or the tables named after it." },
});

const listCommand = buildCommand<ListFlags, [source?: string], Context>({
  loader: async () => (await loader()).runList,
  parameters: { flags: listFlags, positional: { kind: "tuple", parameters: [maybeSource] } },
  docs: { brief: "List the tables of all sources, with their rows and their origin." },
});

const checkCommand = buildCommand<ListFlags, [source?: string], Context>({
  loader: async () => (await loader()).runCheck,
  parameters: { flags: listFlags, positional: { kind: "tuple", parameters: [maybeSource] } },
  docs: { brief: "Read each table of all sources to its end, and print the tables that cannot be read." },
});

/** `quern sources`: which tables the service has. */
export const sourcesRoute = buildRouteMap({
  routes: { add: addCommand, load: loadCommand, list: listCommand, check: checkCommand, remove: removeCommand },
  docs: { brief: "Load, list, check and remove the tables of the service." },
});
