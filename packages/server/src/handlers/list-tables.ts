import { isEngineLostError, isStatementError, type Source, type SourceTable } from "@quern/adapter";
import { listTablesParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { ListTablesParams, ListTablesResult, Table } from "@quern/protocol/types";
import { toMethodError } from "../common/method-errors.ts";
import { mayUse } from "../identity/principal.ts";
import { columnsShown } from "../sources/catalog.ts";
import type { Context, Service } from "./context.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { findSource } from "./lookup.ts";
import { withSource } from "./source-query.ts";

/** Position of a table in the list. The cursor is the key of the last table of a page. */
type TableKey = readonly [dataSource: string, catalog: string, schema: string, name: string];

function toTableKey([dataSource = "", catalog = "", schema = "", name = ""]: readonly string[]): TableKey {
  return [dataSource, catalog, schema, name];
}

export async function listTables(
  { dataSource, dataProvider, search, limit = defaults.limit, cursor }: ListTablesParams,
  context: Context,
  service: Pick<Service, "inspections" | "limits" | "limitsOf" | "sources" | "telemetry">,
): Promise<ListTablesResult> {
  const after = cursor === undefined ? undefined : toTableKey(decodeCursor(cursor, 4));
  const sources = listedSources(service, context, dataSource, dataProvider);
  service.telemetry.audited(context, "tables.list", { sources: sources.map(({ name }) => name) });
  // If the source of the cursor has been removed meanwhile, the list restarts.
  const first = Math.max(0, after === undefined ? 0 : sources.findIndex(({ name }) => name === after[0]));
  const text = search?.toLowerCase();
  const tables: Table[] = [];
  for (const source of sources.slice(first)) {
    // One more table than the limit means that there is another page.
    if (tables.length > limit) break;
    const own = await tablesOf(source, context, service).catch((error: unknown) => {
      const isOfSource = isStatementError(error) || isEngineLostError(error);
      if (dataSource !== undefined || !isOfSource) throw toMethodError(error, source.name);
      // A source that cannot be read must not hide the tables of the others.
      service.telemetry.leftOut(context, source.name, error);
      return [];
    });
    const found = text === undefined ? own : own.filter((table) => hasText(table, text));
    tables.push(...(source.name === after?.[0] ? found.filter((table) => comesAfter(keyOf(table), after)) : found));
  }
  const listed = tables.slice(0, limit);
  const last = listed.at(-1);
  return { tables: listed, nextCursor: tables.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/**
 * Returns the source that a call names, or else all sources that the caller may query, of the provider if the call
 * names one.
 * @throws {MethodError} DataSourceNotFound, DataProviderNotFound
 */
function listedSources(
  { sources }: Pick<Service, "sources">,
  { principal }: Context,
  dataSource: string | undefined,
  dataProvider: string | undefined,
): readonly Source[] {
  if (dataSource !== undefined) return [findSource(sources, principal, dataSource, dataProvider)];
  const allowed = sources.all(dataProvider).filter((source) => mayUse(principal, source));
  if (allowed.length === 0 && dataProvider !== undefined) findSource(sources, principal, dataSource, dataProvider);
  return allowed;
}

async function tablesOf(
  source: Source,
  context: Context,
  service: Pick<Service, "inspections" | "limits" | "limitsOf" | "sources" | "telemetry">,
): Promise<readonly Table[]> {
  const tables = await withSource(source, service, context, async (kind, query, signal) =>
    kind.tables?.(query, signal),
  );
  return (tables ?? []).map((table) => toTable(source, table)).sort(byKey);
}

function toTable(source: Source, { columns, primaryKey, ...table }: SourceTable): Table {
  const key = columnsShown(source, primaryKey?.map((name) => ({ name })) ?? []).map(({ name }) => name);
  return {
    dataSource: source.name,
    dataProvider: source.provider,
    ...table,
    columns: columnsShown(source, columns).map(({ name, kind: type, ...column }) => ({ name, type, ...column })),
    ...(primaryKey !== undefined && { primaryKey: key }),
  };
}

/** Tells whether a name of a table or of its columns has a text in lower case. One with a dot can be in several names. */
function hasText({ catalog, schema, name, columns }: Table, text: string): boolean {
  const ofTable = text.includes(".") ? [catalog, schema, name].filter((part) => part !== "").join(".") : name;
  return [ofTable, ...columns.map((column) => column.name)].some((each) => each.toLowerCase().includes(text));
}

function keyOf({ dataSource, catalog, schema, name }: Table): TableKey {
  return [dataSource, catalog, schema, name];
}

function byKey(one: Table, other: Table): number {
  return comesAfter(keyOf(one), keyOf(other)) ? 1 : -1;
}

/** Tells whether the first table comes after the second one in the list. Both tables are of one source. */
function comesAfter([, ...key]: TableKey, [, ...other]: TableKey): boolean {
  const differing = key.findIndex((part, index) => part !== other[index]);
  return differing >= 0 && (key[differing] ?? "") > (other[differing] ?? "");
}
