import { expect, it } from "vitest";
import { EngineLostError, ResultExistsError, StatementError, UnavailableError } from "../src/error.ts";

const failure = { name: "Odd", message: "m", data: { category: "USER" } } as const;
const errors = {
  StatementError: new StatementError(failure),
  UnavailableError: new UnavailableError("m"),
  EngineLostError: new EngineLostError("m"),
  ResultExistsError: new ResultExistsError("m"),
};
const types = { StatementError, UnavailableError, EngineLostError, ResultExistsError };

it.each(Object.entries(errors))("%s has its name, and is no other of these errors", (name, error) => {
  expect([error.name, error.message]).toEqual([name, "m"]);
  const matching = Object.entries(types).filter(([, type]) => error instanceof type);
  expect(matching.map(([type]) => type)).toEqual([name]);
});

it("has the failure of a statement", () => expect(errors.StatementError.failure).toBe(failure));

it.each(Object.entries(types))("recognises a %s of another copy of the package", (name, type) => {
  const copy = { [Symbol.for(`@quern/adapter/${name}`)]: true };
  expect(copy instanceof type).toBe(true);
  expect([new Error("m"), null, undefined, "m", {}].some((value) => value instanceof type)).toBe(false);
});

it("takes no error of its class for one of a subclass", () => {
  class Sub extends UnavailableError {}
  expect(new UnavailableError("m") instanceof Sub).toBe(false);
  expect(new Sub("m") instanceof Sub).toBe(true);
  expect(new Sub("m") instanceof UnavailableError).toBe(true);
});

it("keeps the first 10,000 characters of a message, which a statement can make of any length", () => {
  const { failure: shown, message } = new StatementError({ ...failure, message: "x".repeat(1_000_000) });
  expect([shown.message, message]).toEqual(Array(2).fill(`${"x".repeat(10_000)}…`));
});
