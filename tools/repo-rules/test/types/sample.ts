/** Value of an engine type, and its text in each format. */
export interface Sample {
  /** Name in `columnEngineTypes`. */
  readonly type: string;
  readonly sql: string;
  /** Name in `columnTypes`. */
  readonly kind: string;
  /** Text of the value in the engine. */
  readonly text: string;
  /**
   * JSON text of the value on pages of both formats and in NDJSON.
   * @default the engine's text; in quotes for dates and strings
   */
  readonly json?: string;
  /** Type in Parquet, as the engine reads it back. */
  readonly parquet: string;
  /**
   * The engine's text of the value in Parquet.
   * @default the engine's text
   */
  readonly parquetText?: string;
  /** Type in Arrow. */
  readonly arrow: string;
  /**
   * Text of the value in Arrow, where days and times are counted from the epoch.
   * @default the engine's text, or its count from the epoch
   */
  readonly arrowText?: string;
  /** True if the value is outside the range of Python's dates and times. */
  readonly extreme?: boolean;
  /** Outcome of a load of the text from a CSV file with this type. @default `equal` */
  readonly csv?: "refused" | "other bytes";
  /** True for an integer that Parquet has no type for, which changes the format of all such columns of its result. */
  readonly tooWide?: boolean;
}

/** Names of a type: in `columnEngineTypes`, in `columnTypes`, in Parquet and in Arrow. */
type TypeNames = readonly [type: string, kind: string, parquet: string, arrow: string];

interface Value extends Omit<Sample, "type" | "kind" | "parquet" | "arrow"> {
  /** True if the JSON is the engine's text in quotes. @default true for dates and strings */
  readonly isQuoted?: true;
}

/** Returns the samples of one type. */
export function samplesOf([type, kind, parquet, arrow]: TypeNames, ...values: readonly Value[]): readonly Sample[] {
  return values.map(({ isQuoted, ...value }) => {
    const sample = { type, kind, parquet, arrow, ...value };
    return isQuoted ? { ...sample, json: JSON.stringify(value.text) } : sample;
  });
}

/** Returns the JSON text of the value on pages and in NDJSON. */
export function jsonOf({ json, kind, text }: Sample): string {
  return json ?? (kind === "string" || kind === "date" ? JSON.stringify(text) : text);
}

/** Returns the text of the value in CSV and on a terminal: the JSON value, strings without quotes. */
export function plainOf(sample: Sample): string {
  const json = jsonOf(sample);
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** Returns a statement whose first row has the samples, and whose second row has a NULL for each. */
export function statementOf(samples: readonly Sample[]): string {
  const values = samples.map(({ sql }, index) => `${sql} AS c${index}`);
  return `SELECT ${values.join(", ")} UNION ALL SELECT ${samples.map(() => "NULL").join(", ")}`;
}
