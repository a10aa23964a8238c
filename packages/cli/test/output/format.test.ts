import { expect, it } from "vitest";
import { fileKind } from "../../src/output/format.ts";

it.each([
  ["cars.csv", ".csv", "csv", undefined],
  ["cars.tsv", ".tsv", "tsv", undefined],
  ["cars.json", ".json", "json", undefined],
  ["cars.jsonl", ".jsonl", "jsonl", undefined],
  ["cars.ndjson", ".ndjson", "jsonl", undefined],
  ["cars.parquet", ".parquet", "parquet", undefined],
  ["cars.arrow", ".arrow", "arrow", undefined],
  ["cars.arrows", ".arrows", "arrows", undefined],
  ["cars.md", ".md", "markdown", undefined],
  ["CARS.CSV.GZ", ".csv", "csv", "gzip"],
  ["cars.csv.zst", ".csv", "csv", "zstd"],
  ["cars.csv.parquet", ".parquet", "parquet", undefined],
  ["cars.txt", ".txt", undefined, undefined],
  ["cars.toString", ".tostring", undefined, undefined],
  ["cars.gz", "", undefined, "gzip"],
  ["csv", "", undefined, undefined],
  ["/dev/null", "", undefined, undefined],
  ["cars.csv/all", "", undefined, undefined],
  [".csv", "", undefined, undefined],
  ["cars.", "", undefined, undefined],
])("the file %j has the extension %j, the format %j and the compression %j", (file, extension, format, compression) => {
  expect(fileKind(file)).toEqual({ extension, format, compression });
});
