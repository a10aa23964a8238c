import type { Table } from "@quern/client";
import { listTablesOptions, useMethod } from "@quern/react";
import { type ReactNode, useDeferredValue, useState } from "react";
import { SearchField } from "../panel/search-field.tsx";
import { type ListPage, useCursors } from "../panel/use-cursors.ts";
import { type TableActions, TableEntry } from "./table-entry.tsx";
import { qualifiedName } from "./table-name.ts";

const PAGE_TABLES = 200;

/** Tables of the data sources that the caller may query, with a search in names of tables and columns. */
export function SchemaPanel(actions: TableActions) {
  const [search, setSearch] = useState("");
  const searched = useDeferredValue(search.trim());
  /** Tables that are unfolded; another search must not fold them. */
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const entryOf = (table: Table) => {
    const name = JSON.stringify([table.dataSource, qualifiedName(table)]);
    const onToggle = (isOpen: boolean) =>
      setUnfolded((names) => new Set(isOpen ? [...names, name] : [...names].filter((each) => each !== name)));
    return <TableEntry key={name} table={table} isOpen={unfolded.has(name)} onToggle={onToggle} {...actions} />;
  };
  return (
    <section aria-label="Schema" className="panel">
      <SearchField label="Search tables and columns" value={search} maxLength={256} onChange={setSearch} />
      <TablePages key={searched} search={searched} entryOf={entryOf} />
    </section>
  );
}

interface TablePagesProps {
  readonly search: string;
  readonly entryOf: (table: Table) => ReactNode;
}

function TablePages(props: TablePagesProps) {
  return useCursors().map((page) => <TablePage key={page.cursor ?? ""} {...props} {...page} />);
}

function TablePage({ search, cursor, entryOf, onMore }: TablePagesProps & ListPage) {
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
          {members.map(entryOf)}
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
