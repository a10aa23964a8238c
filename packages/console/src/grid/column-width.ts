import type { GetQueryRunResultsResult } from "@quern/client";
import { cellText } from "./cell-text.ts";

const CHARACTER = 7.6;
const MIN_WIDTH = 96;
const MAX_WIDTH = 340;
const SAMPLED_ROWS = 40;

export const clampWidth = (width: number): number => Math.max(40, Math.min(1200, Math.round(width)));

/** Returns a width for each column that fits its name and the first rows, in pixels. */
export function columnWidths(
  { columnNames, columnEngineTypes, rows }: GetQueryRunResultsResult,
  changed: Readonly<Record<string, number>>,
): readonly number[] {
  const sample = (rows ?? []).slice(0, SAMPLED_ROWS);
  return (columnNames ?? []).map((name, index) => {
    const kept = changed[name];
    if (kept !== undefined) return clampWidth(kept);
    const texts = sample.map((row) => cellText(Array.isArray(row) ? row[index] : undefined).length);
    const type = columnEngineTypes?.[index] ?? "";
    const characters = Math.max(name.length + 3, Math.min(type.length, 16), ...texts);
    return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(characters * CHARACTER) + 18));
  });
}
