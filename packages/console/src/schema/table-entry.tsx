import type { Table } from "@quern/client";
import { visible } from "../grid/cell-text.ts";
import { qualifiedName, sqlName } from "./table-name.ts";

export interface TableActions {
  /** Inserts a text at the cursor of the editor. */
  readonly onInsert: (text: string) => void;
  /** Runs a statement in a tab of its own. */
  readonly onRun: (name: string, sql: string, dataSource: string) => void;
}

interface TableEntryProps extends TableActions {
  readonly table: Table;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** A table of the schema with its columns, and what can be done with it. */
export function TableEntry({ table, isOpen, onToggle, onInsert, onRun }: TableEntryProps) {
  const name = qualifiedName(table);
  const { rowEstimate, comment, columns, primaryKey = [] } = table;
  return (
    <details className="table" open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary title={comment}>
        <bdi>{visible(table.name)}</bdi>
        {rowEstimate !== undefined && <span className="quiet">{` ${rowEstimate.toLocaleString("en-US")}`}</span>}
      </summary>
      <div className="actions">
        <button type="button" onClick={() => onInsert(name)}>
          Insert name
        </button>
        <button type="button" onClick={() => onRun(table.name, `select * from ${name} limit 1000`, table.dataSource)}>
          Preview
        </button>
        {isOfDuckDb(table) && (
          <button
            type="button"
            onClick={() => onRun(`Summary of ${table.name}`, `summarize ${name}`, table.dataSource)}
          >
            Summarize
          </button>
        )}
      </div>
      <ul>
        {columns.map((column, index) => (
          <li key={index}>
            <button
              type="button"
              title={column.comment ?? "Insert the name"}
              onClick={() => onInsert(sqlName(column.name))}
            >
              <bdi>{visible(column.name)}</bdi>
            </button>
            <span className="quiet">{`${column.engineType}${primaryKey.includes(column.name) ? " · key" : ""}`}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * Tells whether a table is one of DuckDB, which has the statement `summarize`. The service does not report the engine of
 * a source; only DuckDB writes the names of all types in capitals.
 */
const isOfDuckDb = ({ columns }: Table): boolean =>
  columns.every(({ engineType }) => /^[A-Z][A-Z0-9_]+(?![a-z])/.test(engineType)) &&
  columns.some(({ engineType }) => !CLICKHOUSE_CAPITALS.has(engineType));

/** Names of types that ClickHouse writes in capitals, too. */
const CLICKHOUSE_CAPITALS = new Set(["JSON", "UUID"]);
