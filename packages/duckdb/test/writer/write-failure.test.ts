import { expect, it } from "vitest";
import { ownDirectory } from "../../src/processes/child-directory.ts";
import { writeFailure } from "../../src/writer/write-failure.ts";

it.each([
  ["Out of Memory Error: failed to allocate 2 MiB", { name: "OutOfMemoryError", data: { category: "RESOURCE" } }],
  ["IO Error: No such file", { name: "IOError", data: { category: "DATA_SOURCE" } }],
  ["INTERNAL Error: assertion failed", { name: "InternalError", data: { category: "INTERNAL" } }],
])("%s is no invalid value", (message, failure) => {
  const thrown = writeFailure(new Error(message));
  expect(thrown.failure).toMatchObject(failure);
  expect(thrown.message).not.toContain("Invalid value");
});

it("a row above the limit is no invalid value, and its error names the limit", () => {
  const reason = '"maximum_object_size" of 16777216 bytes exceeded while reading file "rows-0" (>33554427 bytes).';
  expect(writeFailure(new Error(`Invalid Input Error: ${reason}`)).failure).toEqual({
    name: "ResultTooLarge",
    message: "A row of the result is larger than 16777216 bytes; select shorter values.",
    data: { category: "RESOURCE", retryable: false },
  });
});

it("an error about a value is one, without the path of the process", () => {
  const thrown = writeFailure(new Error(`Conversion Error: "x" in ${ownDirectory}/rows is no number\nLINE 1: COPY`));
  const message = 'Invalid value in a row of the data source: Conversion Error: "x" in rows is no number';
  expect(thrown.failure).toMatchObject({ name: "InvalidValue", message, data: { category: "DATA_SOURCE" } });
});
