import { expect, it } from "vitest";
import { queryFailure } from "../src/failure.ts";

it.each([
  ["USER_ERROR", "USER", false],
  ["INSUFFICIENT_RESOURCES", "RESOURCE", true],
  ["EXTERNAL", "DATA_SOURCE", true],
  ["INTERNAL_ERROR", "DATA_SOURCE", true],
  ["ODD", "DATA_SOURCE", true],
  [undefined, "DATA_SOURCE", true],
])("gives errors of the type %s the category %s", (errorType, category, retryable) => {
  const { failure } = queryFailure({ message: "m", errorName: "DIVISION_BY_ZERO_2", ...(errorType && { errorType }) });
  expect(failure).toEqual({
    name: "DivisionByZero2",
    message: "m",
    data: { category, engine: "trino", retryable },
  });
});

it("reports the place of an error, and names one without a name", () => {
  const location = { lineNumber: 3, columnNumber: 4 };
  const { failure } = queryFailure({ errorType: "USER_ERROR", errorLocation: location });
  expect(failure).toEqual({
    name: "TrinoError",
    message: "The query failed.",
    data: { category: "USER", engine: "trino", line: 3, column: 4, retryable: false },
  });
});

it.each(["A B", "1A", "a", "Ab", "A\nB", " A"])("does not make a name of %j", (errorName) => {
  expect(queryFailure({ errorName }).failure.name).toBe("TrinoError");
});
