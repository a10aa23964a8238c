import { BIGINT, type DuckDBType, type DuckDBValue, DuckDBTypeId as Id } from "@duckdb/node-api";
import { pageCell } from "../engine/column-type.ts";
import { quotedText } from "../engine/quoting.ts";
import { storedType } from "../engine/stored-type.ts";
import { cellWriter } from "../results/cell.ts";
import { jsonCell, lowerCaseEscapes, orNull } from "./json-cell.ts";
import { rowFrame } from "./row-frame.ts";
import type { PageTask } from "./task.ts";

/** Part of the text of each row: one or more columns with the punctuation before them. */
export interface RowPart {
  /** SQL of the part. */
  readonly select: string;
  /** Returns the text of the part for a value of {@link RowPart.select}. */
  readonly write: (value: DuckDBValue) => string;
}

/** SQL and functions that write the rows of a result as JSON. They are the same for all pages of a result. */
export interface RowPlan {
  /** Parts whose texts together are the row. */
  readonly parts: readonly RowPart[];
  /** SQL of the text of a row; undefined if JavaScript writes some of its columns. */
  readonly text: string | undefined;
  /**
   * SQL of the size of a row's values without a bounded length, in bytes of the engine's text; undefined if there are
   * none.
   */
  readonly textBytes: string | undefined;
  /** Upper bound for the size of a row without those values, in bytes. */
  readonly boundedBytes: number;
}

/** Longest JSON text of a value with a bounded length: a decimal or an integer of 39 digits, a sign, a point and quotes. */
const longestBoundedValue = 44;

/**
 * Largest length of the SQL that writes a row, in characters. The engine plans a statement for each page, which takes
 * longer for many columns than writing them in JavaScript.
 */
const maxTextLength = 20_000;

/** Returns the plan of a result's rows. */
export function rowPlan(task: Pick<PageTask, "columns" | "format" | "rowIndex" | "rowNumber">): RowPlan {
  const { columns, rowIndex, rowNumber = "file_row_number" } = task;
  const types = columns.map(storedType);
  const cells = types.map((type, index) => ({ type, cell: `c${index}` }));
  if (rowIndex) cells.push({ type: BIGINT, cell: rowNumber });
  const { before, close } = rowFrame(task);
  const parts = rowParts(cells, before, close);
  const [only] = parts;
  const unbounded = cells.flatMap(({ type, cell }) => textLength(type, cell));
  return {
    parts,
    text: parts.length === 1 && only?.write === engineText ? only.select : undefined,
    textBytes: unbounded.length === 0 ? undefined : `CAST(${unbounded.join(" + ")} AS DOUBLE)`,
    boundedBytes: Buffer.byteLength(before.join("")) + 2 + cells.length * longestBoundedValue,
  };
}

/** Returns the text of a part that the engine has written. */
const engineText = (value: DuckDBValue): string => lowerCaseEscapes(value as string); // `concat` returns text

/**
 * Returns the parts of a row. The engine writes adjacent columns as one part, and JavaScript writes each column that the
 * engine cannot write exactly.
 */
function rowParts(
  cells: readonly { readonly type: DuckDBType; readonly cell: string }[],
  before: readonly string[],
  close: string,
): RowPart[] {
  const parts: RowPart[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    // `concat` has any number of arguments; a chain of `||` would be nested too deeply for many columns.
    if (texts.length > 0) parts.push({ select: `concat(${texts.join(", ")})`, write: engineText });
    texts = [];
  };
  const jsons = cells.map(({ type, cell }) => jsonCell(type, cell));
  const isLong = jsons.join("").length > maxTextLength;
  for (const [index, { type, cell }] of cells.entries()) {
    const json = isLong ? undefined : jsons[index];
    const start = before[index] ?? "";
    const end = index === cells.length - 1 ? close : "";
    if (json === undefined) {
      endText();
      const write = cellWriter(type);
      parts.push({ select: pageCell(type, cell), write: (value) => start + write(value) + end });
    } else texts.push(quotedText(start), orNull(json), quotedText(end));
  }
  endText();
  return parts;
}

const bounded: ReadonlySet<Id> = new Set([
  Id.BOOLEAN,
  Id.TINYINT,
  Id.SMALLINT,
  Id.INTEGER,
  Id.BIGINT,
  Id.HUGEINT,
  Id.UTINYINT,
  Id.USMALLINT,
  Id.UINTEGER,
  Id.UBIGINT,
  Id.UHUGEINT,
  Id.DECIMAL,
  Id.FLOAT,
  Id.DOUBLE,
  Id.DATE,
  Id.TIMESTAMP,
  Id.TIMESTAMP_S,
  Id.TIMESTAMP_MS,
  Id.TIMESTAMP_NS,
  Id.TIMESTAMP_TZ,
  Id.TIME,
  Id.TIME_NS,
  Id.TIME_TZ,
  Id.UUID,
]);

/** Returns SQL for the length of the engine's text of a value; nothing if the length is bounded. */
function textLength(type: DuckDBType, cell: string): string[] {
  return bounded.has(type.typeId) ? [] : [`coalesce(strlen(CAST(${cell} AS VARCHAR)), 0)`];
}
