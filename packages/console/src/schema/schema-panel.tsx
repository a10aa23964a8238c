import type { Table } from "@quern/client";
import { listTablesOptions, useMethod } from "@quern/react";
import { useDeferredValue, useState } from "react";
import { SearchField } from "../panel/search-field.tsx";
import { type ListPage, useCursors } from "../panel/use-cursors.ts";
import { type TableActions, TableEntry } from "./table-entry.tsx";

const PAGE_TABLES = 200;

/** Tables of the data sources that the caller may query, with a search in names of tables and columns. */
export function SchemaPanel(actions: TableActions) {
  const [search, setSearch] = useState("");
  const searched = useDeferredValue(search.trim());
  return (
    <section aria-label="Schema" className="panel">
      <SearchField label="Search tables and columns" value={search} maxLength={256} onChange={setSearch} />
      <TablePages key={searched} search={searched} actions={actions} />
    </section>
  );
}

function TablePages({ search, actions }: { readonly search: string; readonly actions: TableActions }) {
  return useCursors().map((page) => <TablePage key={page.cursor ?? ""} search={search} actions={actions} {...page} />);
}

interface TablePageProps extends ListPage {
  readonly search: string;
  readonly actions: TableActions;
}

function TablePage({ search, cursor, actions, onMore }: TablePageProps) {
  const { data, error } = useMethod(
    listTablesOptions,
    { limit: PAGE_TABLES, cursor, ...(search !== "" && { search }) },
    { staleTime: 60_000 },
  );
  if (error !== null) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <p className="quiet">Reading the tables…</p>;
  const { tables, nextCursor } = data;
  if (tables.length === 0) return <p className="quiet">No tables.</p>;
  return (
    <>
      {[...groupsOf(tables)].map(([group, members]) => (
        <div key={group}>
          <h2>{group}</h2>
          {members.map((table) => (
            <TableEntry key={table.name} table={table} {...actions} />
          ))}
        </div>
      ))}
      {nextCursor !== null && onMore !== undefined && (
        <button type="button" onClick={() => onMore(nextCursor)}>
          More tables
        </button>
      )}
    </>
  );
}

/** Groups tables by data source, catalog and schema. */
function groupsOf(tables: readonly Table[]): Map<string, Table[]> {
  const groups = new Map<string, Table[]>();
  for (const table of tables) {
    const { dataSource, catalog, schema } = table;
    const name = [dataSource, [catalog, schema].filter((part) => part !== "").join(".")].join(": ");
    const members = groups.get(name) ?? [];
    members.push(table);
    groups.set(name, members);
  }
  return groups;
}
