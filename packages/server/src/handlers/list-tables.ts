import type { Source, SourceTable } from "@quern/adapter";
import type { ListTablesParams, ListTablesResult, Table } from "@quern/protocol/types";
import { invalidParams } from "../common/declared-error.ts";
import { mayQuery } from "../identity/principal.ts";
import { columnsShown } from "../sources/column-names.ts";
import type { Context } from "./context.ts";
import { findSource } from "./lookup.ts";
import type { Service } from "./service.ts";
import { withSource } from "./source-query.ts";

const defaultLimit = 100;

/** Place of a table in the list: the last one of a page, where the next page begins. */
type TableKey = readonly [dataSource: string, catalog: string, schema: string, name: string];

export async function listTables(
  { dataSource, dataProvider, limit = defaultLimit, cursor }: ListTablesParams,
  context: Context,
  service: Service,
): Promise<ListTablesResult> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const sources = listedSources(service, context, dataSource, dataProvider);
  // Without the source of the cursor, which has been taken away meanwhile, the list begins again.
  const first = Math.max(0, after === undefined ? 0 : sources.findIndex(({ name }) => name === after[0]));
  const tables: Table[] = [];
  for (const source of sources.slice(first)) {
    // One more tells whether there are more.
    if (tables.length > limit) break;
    const own = await tablesOf(source, context, service);
    tables.push(...(source.name === after?.[0] ? own.filter((table) => comesAfter(keyOf(table), after)) : own));
  }
  const listed = tables.slice(0, limit);
  const last = listed.at(-1);
  return { tables: listed, nextCursor: tables.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/** The sources that a caller may query, or the one that they name. @throws {MethodError} DataSourceNotFound, DataProviderNotFound */
function listedSources(
  { sources }: Service,
  { principal }: Context,
  dataSource: string | undefined,
  dataProvider: string | undefined,
): readonly Source[] {
  if (dataSource !== undefined) return [findSource(sources, principal, dataSource, dataProvider)];
  const allowed = sources.all(dataProvider).filter(({ name }) => mayQuery(principal, name));
  if (allowed.length === 0 && dataProvider !== undefined) findSource(sources, principal, dataSource, dataProvider);
  return allowed;
}

async function tablesOf(source: Source, context: Context, service: Service): Promise<readonly Table[]> {
  const tables = await withSource(source, service, context, async (kind, query, signal) => kind.tables?.(query, signal));
  return (tables ?? []).map((table) => toTable(source, table)).sort(byKey);
}

function toTable(source: Source, { catalog, schema, name, columns }: SourceTable): Table {
  const shown = columnsShown(source, columns).map(({ name, kind: type, engineType, nullable }) => ({
    ...{ name, type, engineType, nullable },
  }));
  return { dataSource: source.name, dataProvider: source.provider, catalog, schema, name, columns: shown };
}

function keyOf({ dataSource, catalog, schema, name }: Table): TableKey {
  return [dataSource, catalog, schema, name];
}

function byKey(one: Table, other: Table): number {
  return comesAfter(keyOf(one), keyOf(other)) ? 1 : -1;
}

/** Compares the names within a source. */
function comesAfter([, ...key]: TableKey, [, ...other]: TableKey): boolean {
  const differing = key.findIndex((part, index) => part !== other[index]);
  return differing >= 0 && (key[differing] ?? "") > (other[differing] ?? "");
}

function encodeCursor(key: TableKey): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function decodeCursor(cursor: string): TableKey {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(key) && key.length === 4 && key.every((part) => typeof part === "string")) {
      const [dataSource = "", catalog = "", schema = "", name = ""] = key;
      return [dataSource, catalog, schema, name];
    }
  } catch {
    // Another text, which is refused below.
  }
  throw invalidParams([{ pointer: "/cursor", expected: "the nextCursor of a call before", received: "another text" }]);
}
