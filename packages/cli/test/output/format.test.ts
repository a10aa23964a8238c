import { expect, it } from "vitest";
import { formatOf, formats, isBinary, resultFormats } from "../../src/output/format.ts";

it.each([
  ["cars.csv", "csv"],
  ["cars.json", "json"],
  ["cars.jsonl", "jsonl"],
  ["cars.ndjson", "jsonl"],
  ["cars.parquet", "parquet"],
  ["cars.arrow", "arrow"],
  ["CARS.CSV", "csv"],
  ["cars.csv.parquet", "parquet"],
  ["cars.txt", undefined],
  ["csv", undefined],
  ["cars.csv/all", undefined],
  [undefined, undefined],
])("the file %j has the format %j", (file, format) => {
  expect(formatOf(file)).toBe(format);
});

it("only the service writes parquet and arrow", () => {
  expect(resultFormats.filter(isBinary)).toEqual(["parquet", "arrow"]);
  expect(resultFormats.filter((format) => !isBinary(format))).toEqual(["table", "csv", "json", "jsonl"]);
  expect(formats).toEqual(["table", "csv", "json", "jsonl"]);
});
