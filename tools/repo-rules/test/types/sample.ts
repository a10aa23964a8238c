/** A value of an engine type, and its form in each of the outputs. */
export interface Sample {
  /** As `columnEngineTypes` names it. */
  readonly type: string;
  readonly sql: string;
  /** As `columnTypes` names it. */
  readonly kind: string;
  /** The engine's own text of the value. */
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
  /** Outside the range of Python's own dates and times. */
  readonly extreme?: boolean;
  /** An integer that Parquet has no number for, which changes the form of all such columns of its result. */
  readonly tooWide?: boolean;
}

/** JSON text of the value on pages and in NDJSON. */
export function jsonOf({ json, kind, text }: Sample): string {
  return json ?? (kind === "string" || kind === "date" ? JSON.stringify(text) : text);
}

/** Text of the value in CSV and in a terminal: the JSON value, a string without quotes. */
export function plainOf(sample: Sample): string {
  const json = jsonOf(sample);
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** One statement whose first row has the samples, and whose second row has a NULL for each. */
export function statementOf(samples: readonly Sample[]): string {
  const values = samples.map(({ sql }, index) => `${sql} AS c${index}`);
  return `SELECT ${values.join(", ")} UNION ALL SELECT ${samples.map(() => "NULL").join(", ")}`;
}
