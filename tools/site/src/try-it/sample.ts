/** Table of the page, as `sample-file.ts` writes it. */
export interface Sample {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly SampleColumn[];
  readonly rows: readonly (readonly (number | string | null)[])[];
}

interface SampleColumn {
  readonly name: string;
  readonly type: "number" | "string" | "date";
  /** Type in DuckDB, the engine of the service. */
  readonly engineType: string;
}
