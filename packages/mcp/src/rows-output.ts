import type { GetQueryRunResultsResult } from "@quern/protocol/types";
import { budgetCharacters, cutText } from "./budget.ts";
import { CallFailure } from "./service.ts";
import type { JsonSchema } from "./tool.ts";

/** Output of a tool that returns rows of a run. */
export interface RowsOutput {
  readonly runId: string;
  readonly state: "queued" | "running" | "success";
  /** True if the run existed before the call. Absent if the tool did not create a run. */
  readonly reused?: boolean;
  readonly columns: readonly string[];
  /** Types of the engine, such as `BIGINT`. */
  readonly columnTypes: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly offset: number;
  /** Number of all rows that meet the filters; null while the run is in progress. */
  readonly totalRows: number | null;
  /** Offset of the next row; null after the last one. */
  readonly nextOffset: number | null;
  /** Reason why rows of the result are missing after the last one of the output. */
  readonly truncatedBy: "limit" | "bytes" | null;
  /** Number of cells that are cut. Absent if none is. */
  readonly cutCells?: number;
  readonly expiresAt: string | null;
}

const orNull = (type: string) => ({ anyOf: [{ type }, { type: "null" }] });

/** Schema of {@link RowsOutput}. */
export const rowsSchema: JsonSchema = {
  type: "object",
  properties: {
    runId: { type: "string" },
    state: { type: "string", enum: ["queued", "running", "success"] },
    reused: { type: "boolean" },
    columns: { type: "array", items: { type: "string" } },
    columnTypes: { type: "array", items: { type: "string" } },
    rows: { type: "array", items: { type: "array" } },
    offset: { type: "integer" },
    totalRows: orNull("integer"),
    nextOffset: orNull("integer"),
    truncatedBy: orNull("string"),
    cutCells: { type: "integer" },
    expiresAt: orNull("string"),
  },
  required: [
    "runId",
    "state",
    "columns",
    "columnTypes",
    "rows",
    "offset",
    "totalRows",
    "nextOffset",
    "truncatedBy",
    "expiresAt",
  ],
};

/** Run and position of a page. */
export interface PageOrigin {
  readonly runId: string;
  readonly reused?: boolean | undefined;
  readonly offset: number;
  /** True if the page has fewer rows than requested, because the service refused a larger one. */
  readonly isShort: boolean;
}

/** Longest text of a cell, in characters, if the row fits into the budget. */
const maxCellCharacters = 4_000;

/**
 * Returns the rows of a page that fit into the budget of a reply. Only whole rows are returned; a cell that is too long is
 * cut, and says so.
 * @throws {CallFailure} `TooManyColumns` if not even one row of short cells fits
 */
export function rowsOutput(page: GetQueryRunResultsResult, { runId, reused, offset, isShort }: PageOrigin): RowsOutput {
  const given = (page.rows ?? []).map((row) => (Array.isArray(row) ? row : []));
  const totalRows = page.page?.totalRows ?? offset + given.length;
  const head = {
    runId,
    state: "success",
    ...(reused !== undefined && { reused }),
    columns: page.columnNames ?? [],
    columnTypes: page.columnEngineTypes ?? page.columnTypes ?? [],
  } as const;
  const tail = { offset, totalRows, nextOffset: totalRows, truncatedBy: "limit", cutCells: totalRows };
  const expiresAt = page.expiresAt ?? null;
  const available = budgetCharacters - JSON.stringify({ ...head, rows: [], ...tail, expiresAt }).length;
  const fitted = fittingRows(given, available, runId);
  const next = offset + fitted.length;
  const isWhole = next >= totalRows;
  const cutCells = fitted.reduce((sum, { cut }) => sum + cut, 0);
  const isCutByBytes = isShort || fitted.length < given.length;
  return {
    ...head,
    rows: fitted.map(({ row }) => row),
    offset,
    totalRows,
    nextOffset: isWhole ? null : next,
    truncatedBy: isWhole ? null : isCutByBytes ? "bytes" : "limit",
    ...(cutCells > 0 && { cutCells }),
    expiresAt,
  };
}

/** Returns the first rows that fit, and at least one row, whose cells are cut as much as necessary. */
function fittingRows(given: readonly (readonly unknown[])[], available: number, runId: string): readonly CutRow[] {
  const rows: CutRow[] = [];
  let used = 0;
  for (const row of given) {
    const fitted = cutRow(row, maxCellCharacters);
    used += fitted.characters;
    if (used > available) break;
    rows.push(fitted);
  }
  const [first] = given;
  if (first === undefined || rows.length > 0) return rows;
  const least = cutRow(first, Math.floor(available / Math.max(1, first.length)) - overhead);
  if (least.characters > available) throw tooManyColumns(first.length, runId);
  return [least];
}

/** Characters of a cut cell beside its text: quotes, comma and the note. */
const overhead = 40;

interface CutRow {
  readonly row: readonly unknown[];
  /** Characters of the row as JSON, with a comma. */
  readonly characters: number;
  /** Number of cells that are cut. */
  readonly cut: number;
}

function cutRow(row: readonly unknown[], cellCharacters: number): CutRow {
  let cut = 0;
  const cells = row.map((cell) => {
    const text = typeof cell === "string" ? cell : JSON.stringify(cell);
    if (text.length <= Math.max(0, cellCharacters)) return cell;
    cut += 1;
    return cutText(text, Math.max(0, cellCharacters));
  });
  return { row: cells, characters: JSON.stringify(cells).length + 1, cut };
}

function tooManyColumns(count: number, runId: string): CallFailure {
  return new CallFailure(`The result has ${count} columns, which do not fit into a reply; select fewer columns.`, {
    name: "TooManyColumns",
    runId,
  });
}
