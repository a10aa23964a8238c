import type { GetQueryRunResultsResult } from "@quern/client";

/** Tells whether the values of a column are numbers, also those that are text because a double cannot hold them. */
export function isNumeric(
  { columnTypes, columnEngineTypes }: Pick<GetQueryRunResultsResult, "columnTypes" | "columnEngineTypes">,
  column: number,
): boolean {
  return (
    columnTypes?.[column] === "number" ||
    /^(U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|DECIMAL|DOUBLE|FLOAT|NUMERIC)/i.test(columnEngineTypes?.[column] ?? "")
  );
}
