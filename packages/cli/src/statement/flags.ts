import { pairFlag, parseNumber, parseParameter } from "../flags.ts";
import { parseTableFile, type TableFile } from "./table-file.ts";

/** Flags of commands that run a statement. */
export interface StatementFlags {
  readonly param?: readonly (readonly [string, string | number | boolean | null])[];
  readonly maxAgeMinutes?: number;
  readonly resultTtlHours?: number;
  readonly tag?: readonly (readonly [string, string])[];
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

/** Flags of commands whose statement can read files of this machine. */
export interface TableFileFlags {
  readonly with?: readonly TableFile[];
}

const text = { kind: "parsed", parse: String, optional: true } as const;
const number = { kind: "parsed", parse: parseNumber, optional: true, placeholder: "number" } as const;

/** Flag with the values of the parameters of a statement. */
export const paramFlag = {
  param: {
    kind: "parsed",
    parse: parseParameter,
    optional: true,
    variadic: true,
    placeholder: "name=value",
    brief:
      "Value of a parameter: name=value for $name, 1=value for $1 or the first ?; may be repeated. Numbers, true, false and null keep their type; 'n=\"5\"' passes a text.",
  },
} as const;

/** Flag with files that a statement reads as tables. */
export const withFlag = {
  with: {
    kind: "parsed",
    parse: parseTableFile,
    optional: true,
    variadic: true,
    placeholder: "name=file",
    brief:
      "CSV, JSON or Parquet file that the statement reads as the table name; may be repeated. name:csv=file chooses the format, which is else that of the extension; - reads stdin.",
  },
} as const;

/** Flags that choose the data source of a statement. */
export const sourceFlags = {
  dataSource: {
    ...text,
    placeholder: "name",
    brief: "Data source to query. Default: the default source of the service.",
  },
  dataProvider: { ...text, placeholder: "name", brief: "Provider of the data source." },
} as const;

/** The same flags, of commands that list tables. */
export const tableSourceFlags = {
  dataSource: { ...text, placeholder: "name", brief: "Data source of the tables. Default: all data sources." },
  dataProvider: { ...text, placeholder: "name", brief: "Provider of the data source." },
} as const;

export const statementFlags = {
  ...paramFlag,
  maxAgeMinutes: {
    ...number,
    brief: "Accept a result that is at most this old, in minutes. Default: 0, which always runs the statement.",
  },
  resultTtlHours: { ...number, brief: "Time that the service keeps the result, in hours. Default: 1." },
  tag: {
    ...pairFlag,
    brief: "Label of the run, as key=value; may be repeated.",
  },
  ...sourceFlags,
} as const;
