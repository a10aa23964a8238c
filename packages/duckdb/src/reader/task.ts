import type { PageExcess, PageSelector } from "@quern/query-run/page";
import type { ResultColumn } from "@quern/query-run/record";
import type { Condition, SortKey } from "@quern/query-run/view";
import type { ReadingLimits } from "../results/engine.ts";

/** What the reader's child process is asked, and what it answers; both travel between the processes. */
export type Scalar = string | number | boolean | null;

export type { Condition, SortKey };

export interface PageTask {
  /** Name of the result, unlike any other's: its sorted copies are kept under it. */
  readonly result: string;
  /** Files of the result, in the order of their rows. */
  readonly paths: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  readonly page: PageSelector;
  readonly format: "csv" | "json";
  /** Whether the rows end with their number in the result. */
  readonly rowIndex: boolean;
  /** The column with that number, where the file is a sorted copy. */
  readonly rowNumber?: string;
  readonly conditions: readonly Condition[];
  readonly sortKeys: readonly SortKey[];
  readonly maxBytes: number;
  /** JSON text of the members that stand before `page` and `rows` in the answer, without brackets. */
  readonly members: string;
}

/** What a process that makes a sorted copy is asked. */
export interface CopyTask extends ReadingLimits {
  readonly task: PageTask;
}

/** The copy, in the folder of the process that makes it. */
export const sortedCopyName = "copy.parquet";

export type PageAnswer =
  /** The JSON text of the whole answer. */
  { readonly json: Uint8Array } | PageExcess;
