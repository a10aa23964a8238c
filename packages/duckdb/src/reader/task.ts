import type { PageExcess, PagePosition, PageSelector } from "@quern/query-run/page";
import type { ResultColumn } from "@quern/query-run/record";
import type { SummaryPlan } from "@quern/query-run/summary";
import type { Condition, ConditionGroup, SortKey } from "@quern/query-run/view";
import type { ReadingLimits } from "../results/engine.ts";

/** Value of a filter. */
export type Scalar = string | number | boolean | null;

export type { Condition, SortKey };

/** Task of a process that reads pages. */
export interface PageTask {
  /** Unique name of the result. Its sorted copies are stored under this name. */
  readonly result: string;
  /** Files of the result, in the order of their rows. */
  readonly paths: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly page: PageSelector;
  readonly format: "csv" | "json";
  /** True if each row ends with its number in the result. */
  readonly rowIndex: boolean;
  /** Column of a sorted copy that has this number. */
  readonly rowNumber?: string;
  readonly conditions: readonly (Condition | ConditionGroup)[];
  readonly sortKeys: readonly SortKey[];
  /** Largest size of the rows as JSON, in bytes. */
  readonly maxBytes: number;
}

/** Task of a process that profiles a column, of the rows that meet the conditions. */
export interface ProfileTask extends PageTask {
  /** Index of the column. */
  readonly column: number;
}

/** Task of a process that summarizes the rows that meet the conditions in groups. */
export interface SummaryTask extends PageTask, SummaryPlan {
  /** Maximum number of groups in the answer. */
  readonly maxGroups: number;
}

/** Task of a process that writes a sorted copy. */
export interface CopyTask extends ReadingLimits {
  readonly task: PageTask;
}

/** Name of the copy in the directory of the process that writes it. */
export const sortedCopyName = "copy.parquet";

/** Page that fits. */
export interface Page {
  readonly position: PagePosition;
  /** JSON array of the rows. */
  readonly rows: Uint8Array;
}

export type PageAnswer = Page | PageExcess;

/**
 * Returns true for a page of all rows in their order, whose cost is bounded by its size. A filter or an order can need
 * the whole result for one page.
 */
export function isPlain({ conditions, sortKeys }: PageTask): boolean {
  return conditions.length === 0 && sortKeys.length === 0;
}
