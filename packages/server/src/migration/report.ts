import type { RecordKind } from "@quern/adapter";

/** Kind of what moves: records, or the files of results. */
export type MigratedKind = RecordKind | "results";

/** Numbers of the records or results of a kind in the source and in the target. */
export interface Comparison {
  readonly kind: MigratedKind;
  readonly source: number;
  readonly target: number;
  /** Hash of all records or results of the kind in the target, hexadecimal. */
  readonly hash: string;
  readonly isEqual: boolean;
}

/** Record or result of the target that is not as in the source. */
export interface Difference {
  readonly kind: MigratedKind;
  readonly id: string;
  readonly fault: "missing" | "extra" | "changed";
}

/** Called with the number of records or results of a kind that were copied or compared. */
export type Progress = (kind: MigratedKind, count: number) => void;

/** Outcome of a migration or of a comparison. */
export interface MigrationReport {
  readonly isEqual: boolean;
  readonly kinds: readonly Comparison[];
  /** The first differences of each kind. */
  readonly differences: readonly Difference[];
  /** Number of results whose files are missing in the source. The service reports such a result as expired. */
  readonly missingResults: number;
}
