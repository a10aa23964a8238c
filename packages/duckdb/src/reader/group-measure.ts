import { DECIMAL, type DuckDBDecimalType, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import type { MeasuredColumn } from "@quern/query-run/summary";
import { storedType } from "../engine/stored-type.ts";
import { formOf } from "./column-form.ts";
import { jsonCell } from "./json-cell.ts";
import { doubleOf } from "./profile-bins.ts";

/** Measure of the groups of a summary, as SQL. */
interface GroupMeasure {
  /** SQL of the measured value, of the columns of a result. */
  readonly value: string;
  /** SQL of the aggregate. */
  readonly aggregate: string;
  /** Returns SQL of the JSON of the aggregate. */
  readonly json: (aggregate: string) => string;
}

const plain = (aggregate: string): string => aggregate;

/**
 * Returns a measure of a summary.
 * @param column undefined for the number of rows
 * @param cell SQL of the column of measured values
 */
export function groupMeasure(
  column: ResultColumn | undefined,
  { function: name, index }: MeasuredColumn,
  cell: string,
  isDistinctExact: boolean,
): GroupMeasure {
  if (column === undefined) return { value: "true", aggregate: "count(*)", json: plain };
  const type = storedType(column);
  const { value, json, kind } = formOf(column, `c${index}`);
  switch (name) {
    case "count":
      return { value, aggregate: `count(${cell})`, json: plain };
    case "countDistinct": {
      const aggregate = isDistinctExact ? `count(DISTINCT ${cell})` : `approx_count_distinct(${cell})`;
      return { value, aggregate, json: plain };
    }
    case "sum":
      return { value, ...sumOf(type, cell) };
    case "mean": {
      const isSummable = kind === "integer" || type.typeId === Id.FLOAT;
      const aggregate = `CAST(avg(${isSummable ? cell : doubleOf(type, cell)}) AS DOUBLE)`;
      return { value, aggregate, json: (mean) => `quern_json_double(${mean})` };
    }
    default:
      return { value, aggregate: `${name}(${cell})`, json };
  }
}

/** Returns the sum of numbers, whose type has more digits than that of the numbers. */
function sumOf(type: DuckDBType, cell: string): Pick<GroupMeasure, "aggregate" | "json"> {
  const integer = (sum: string): string => `quern_json_wide_integer(CAST(${sum} AS VARCHAR))`;
  switch (type.typeId) {
    case Id.FLOAT:
    case Id.DOUBLE:
      return { aggregate: `sum(${cell})`, json: (sum) => `quern_json_double(${sum})` };
    case Id.DECIMAL: {
      const { scale } = type as DuckDBDecimalType; // `typeId` determines the class
      return { aggregate: `sum(${cell})`, json: (sum) => jsonCell(DECIMAL(38, scale), sum) ?? "NULL" };
    }
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
      return { aggregate: `sum(CAST(CAST(${cell} AS VARCHAR) AS BIGNUM))`, json: integer };
    default:
      return { aggregate: `sum(${cell})`, json: integer };
  }
}
