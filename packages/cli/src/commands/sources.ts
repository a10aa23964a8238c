import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../context.ts";
import { parsePair } from "../method-params.ts";
import { type PlaceFlags, placeFlags, type RowsFlags, rowsFlags } from "./place-flags.ts";
import type { AddFlags } from "./run-sources.ts";

const loader = () => import("./run-sources.ts");

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
  brief: "Only this table, as it is called in SQL; all of the source without any.",
} as const;

const addCommand = buildCommand<AddFlags, [source: string, from: string], Context>({
  loader: async () => (await loader()).runAdd,
  parameters: {
    flags: {
      as: {
        ...text,
        placeholder: "name",
        brief:
          "What it is called in SQL: table, schema.table or catalog.schema.table; without it the name of the file or folder, as far as SQL takes it without quotes.",
      },
      table: { ...text, placeholder: "name", brief: "Only this table of a database." },
      schema: { ...text, placeholder: "name", brief: "The schema of a PostgreSQL database; public without it." },
      type: {
        kind: "parsed",
        parse: parsePair,
        optional: true,
        variadic: true,
        placeholder: "column=type",
        brief: "DuckDB type of a column of CSV or JSON files, such as code=VARCHAR; repeatable.",
      },
      allText: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Load the columns of CSV or JSON files as text, but for those that have a --type.",
      },
      runAs: {
        kind: "enum",
        values: ["fixed", "user"],
        optional: true,
        brief: "user: users never share a run on the source; fixed: users of a tenant do.",
      },
      ...placeFlags,
    },
    positional: { kind: "tuple", parameters: [source, from] },
  },
  docs: {
    brief: "Load tables into a source, and make it where there is none.",
    fullDescription: [
      "Loads a table, or all of a database, into a source. Queries see it as soon as it is complete.",
      "PGPASSWORD is the password of PostgreSQL; it is not kept.",
      "",
      "EXAMPLES",
      "  quern sources add shop orders/ --data-dir ./data",
      "  quern sources add shop 'exports/*.csv' --as main.customers",
      "  quern sources add shop codes.csv --type code=VARCHAR --type price='DECIMAL(10,2)'",
      "  quern sources add shop postgres://reader@localhost/shop --schema public --as crm",
    ].join("\n"),
  },
});

const loadCommand = buildCommand<PlaceFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runLoad,
  parameters: {
    flags: placeFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: {
    brief: "Load the tables of a source again from where they came.",
    fullDescription: [
      "Loads a source, or the tables named after it, again from where they came. Queries that run keep the old tables.",
      "",
      "EXAMPLES",
      "  quern sources load shop",
      "  quern sources load shop orders crm",
    ].join("\n"),
  },
});

const removeCommand = buildCommand<PlaceFlags, [source: string, ...tables: string[]], Context>({
  loader: async () => (await loader()).runRemove,
  parameters: {
    flags: placeFlags,
    positional: { kind: "array", parameter: { ...tables, placeholder: "source table" }, minimum: 1 },
  },
  docs: { brief: "Remove a source, or the tables named after it." },
});

const listCommand = buildCommand<RowsFlags, [source?: string], Context>({
  loader: async () => (await loader()).runList,
  parameters: { flags: rowsFlags, positional: { kind: "tuple", parameters: [maybeSource] } },
  docs: { brief: "List the tables of all sources, with their rows and where they came from." },
});

const checkCommand = buildCommand<RowsFlags, [source?: string], Context>({
  loader: async () => (await loader()).runCheck,
  parameters: { flags: rowsFlags, positional: { kind: "tuple", parameters: [maybeSource] } },
  docs: { brief: "Read each table of all sources to its end, and tell what cannot be read." },
});

/** `quern sources`: which tables the service has. */
export const sourcesRoute = buildRouteMap({
  routes: { add: addCommand, load: loadCommand, list: listCommand, check: checkCommand, remove: removeCommand },
  docs: { brief: "Load tables into the service, and look after them." },
});
