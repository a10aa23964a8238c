import { expect, it } from "vitest";
import { failedOutcome, thrownOutcome } from "../../src/runs/plan.ts";

it.each([
  [new RangeError("too far"), { name: "RangeError", message: "too far" }],
  ["lost", { name: "Error", message: "lost" }],
  [undefined, { name: "Error", message: "undefined" }],
])("a thrown %s fails the run", (error, failure) => {
  expect(thrownOutcome(error)).toEqual({ failure: { ...failure, data: { category: "USER" } } });
});

it("a failure has the name and the data of a stub, or their defaults", () => {
  const data = { category: "USER" } as const;
  expect(failedOutcome({ errorMessage: "no" })).toEqual({ failure: { name: "QueryFailed", message: "no", data } });
  const errorData = { category: "DATA_SOURCE", retryable: true } as const;
  expect(failedOutcome({ errorName: "BinderError", errorMessage: "no", errorData })).toEqual({
    failure: { name: "BinderError", message: "no", data: errorData },
  });
});

it("a failure that the contract does not allow is refused with its member", () => {
  expect(() => failedOutcome({ errorMessage: 5 as unknown as string })).toThrow(
    new TypeError("fails: invalid errorMessage: expected a string or null, got 5"),
  );
});
