import type { Table } from "@quern/client";
import { listTablesOptions, useMethod } from "@quern/react";
import { useDeferredValue, useState } from "react";
import { type TableActions, TableEntry } from "./table-entry.tsx";

const PAGE_TABLES = 200;

/** Tables of the data sources that the caller may query, with a search in names of tables and columns. */
export function SchemaPanel(actions: TableActions) {
  const [search, setSearch] = useState("");
  const searched = useDeferredValue(search.trim());
  return (
    <section aria-label="Schema" className="panel">
      <input
        type="search"
        aria-label="Search tables and columns"
        placeholder="Search tables and columns"
        value={search}
        maxLength={256}
        onChange={({ target }) => setSearch(target.value)}
      />
      <TablePages key={searched} search={searched} actions={actions} />
    </section>
  );
}

function TablePages({ search, actions }: { readonly search: string; readonly actions: TableActions }) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  return cursors.map((cursor, index) => (
    <TablePage
      key={cursor ?? ""}
      search={search}
      cursor={cursor}
      actions={actions}
      onMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
    />
  ));
}

interface TablePageProps {
  readonly search: string;
  readonly cursor: string | undefined;
  readonly actions: TableActions;
  /** Shows the next page; undefined if it is shown. */
  readonly onMore: ((cursor: string) => void) | undefined;
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
