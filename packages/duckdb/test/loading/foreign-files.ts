import { expect } from "vitest";
import type { LoadRequest } from "../../src/loading.ts";
import type { useLoader } from "./loaded-files.ts";

type Loaded = Awaited<ReturnType<ReturnType<typeof useLoader>["loaded"]>>;

const comma = { decimalSeparator: "," } as const;
const missing = { nullText: ["NA"] } as const;

/**
 * Files of the same four rows in `foreign-files/`, as each writer makes them by default. Those of Python libraries and of
 * the sqlite3 shell are their own output; those of Spark, Excel, R, MySQL and PostgreSQL are written out in their form by
 * `make.py`, which also has the calls of the libraries: pandas 2.2.3, polars 2.1.0, pyarrow 26.0.1, fastparquet 2026.9.0.
 */
export const files: readonly [file: string, made: string, options?: Omit<LoadRequest, "from">][] = [
  ["pandas.csv", "to_csv(index=False): True and False"],
  ["pandas-quoted.csv", "to_csv(quoting=QUOTE_NONNUMERIC): an empty text for a missing one"],
  ["pandas-comma.csv.gz", 'to_csv(sep=";", decimal=","), compressed', { csv: comma }],
  ["pandas.parquet", "to_parquet() by pyarrow"],
  ["pandas.jsonl", 'to_json(orient="records", lines=True, date_format="iso")'],
  ["pandas.json", 'to_json(orient="records", date_format="iso"): one array'],
  ["fastparquet.parquet", 'to_parquet(engine="fastparquet")'],
  ["polars.csv", "write_csv(): times with T"],
  ["polars-tab.tsv", 'write_csv(separator="\\t", null_value="NULL")', { csv: { nullText: ["NULL"] } }],
  ["polars.parquet", "write_parquet()"],
  ["polars.ndjson", "write_ndjson()"],
  ["pyarrow.csv", "csv.write_csv(): quotes around each text"],
  ["pyarrow.parquet", "parquet.write_table(): a dictionary, zstd"],
  ["pyarrow-int96.parquet", "parquet.write_table(use_deprecated_int96_timestamps=True)"],
  ["pandas.feather", "to_feather(): large_string, LZ4"],
  ["polars.arrow", 'write_ipc(compression="zstd"): string_view'],
  ["pyarrow.arrows", "ipc.new_stream(): a dictionary"],
  ["python-csv.csv", "csv.writer of Python: CRLF"],
  ["sqlite.csv", "sqlite3 -csv -header"],
  ["spark.csv", "DataFrameWriter.csv of Spark: a backslash before quotes", { csv: { escape: "\\" } }],
  ["excel-utf8.csv", "Excel, CSV UTF-8 where the comma is decimal: mark, semicolons, CRLF", { csv: comma }],
  ["excel-unicode.tsv", "Excel, Unicode text: UTF-16 with mark, tabs"],
  ["excel-1252.csv", "Excel, CSV: Windows-1252", { csv: { ...comma, encoding: "windows-1252" } }],
  ["r.csv", "write.csv(row.names = FALSE) of R: NA", { csv: missing }],
  ["r-csv2.csv", "write.csv2(row.names = FALSE) of R", { csv: { ...missing, ...comma } }],
  [
    "mysql-outfile.csv",
    "SELECT … INTO OUTFILE … FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' of MySQL: \\N",
    { csv: { header: false, nullText: ["\\N"], escape: "\\" } },
  ],
  ["postgres-copy.csv", "COPY … TO … WITH (FORMAT csv, HEADER) of PostgreSQL: t and f"],
];

const expected = `SELECT * FROM (VALUES
  (1, 'Ada', 1.5, DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', true),
  (2, 'a "b", c', -0.25, DATE '1999-12-31', TIMESTAMP '1999-12-31 23:59:59.5', false),
  (3, 'Zoë' || chr(10) || 'x', 1234567.125, DATE '1970-01-01', TIMESTAMP '1970-01-01', true),
  (4, NULL, NULL, NULL, NULL, NULL)) v(id, name, price, day, "at", ok)`;

/** Compares the table of a file with the rows that were written. */
export async function expectSameRows(file: string, { read, report }: Loaded): Promise<void> {
  const names = (await read("SELECT column_name FROM (DESCRIBE t)")).flat();
  const typed = ["BIGINT", "VARCHAR", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN"];
  const values = typed.map((type, index) => `"${names[index]}"::${type}`);
  const rows = (query: string, columns: readonly string[]) =>
    read(`SELECT ${columns.join(", ")} FROM ${query} ORDER BY 1`);
  const name = file === "pandas-quoted.csv" ? "coalesce(name, '')" : "name";
  const wanted = ["id::BIGINT", name, "price::DOUBLE", "day", '"at"', "ok"];
  expect(await rows("t", values)).toEqual(await rows(`(${expected})`, wanted));
  expect(report.cut).toEqual(file.includes("int96") ? ["at"] : []);
}
