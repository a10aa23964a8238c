import { expect, it } from "vitest";
import type * as Errors from "../src/error.ts";
import {
  EngineLostError,
  isEngineLostError,
  isResultExistsError,
  isStatementError,
  isUnavailableError,
  ResultExistsError,
  StatementError,
  UnavailableError,
} from "../src/error.ts";

const failure = { name: "Odd", message: "m", data: { category: "USER" } } as const;
const errors = {
  StatementError: new StatementError(failure),
  UnavailableError: new UnavailableError("m"),
  EngineLostError: new EngineLostError("m"),
  ResultExistsError: new ResultExistsError("m"),
};
const checks = {
  StatementError: isStatementError,
  UnavailableError: isUnavailableError,
  EngineLostError: isEngineLostError,
  ResultExistsError: isResultExistsError,
};
const passed = (error: unknown) => Object.entries(checks).flatMap(([name, check]) => (check(error) ? [name] : []));

it.each(Object.entries(errors))("%s has its name, and is no other of these errors", (name, error) => {
  expect([error.name, error.message, passed(error)]).toEqual([name, "m", [name]]);
});

it("has the failure of a statement", () => expect(errors.StatementError.failure).toBe(failure));

it("recognises errors of another copy of the package, and subclasses", async () => {
  const path = "../src/error.ts?copy";
  const copy: typeof Errors = await import(/* @vite-ignore */ path);
  class Sub extends UnavailableError {
    override readonly name = "Sub" as "UnavailableError"; // as JavaScript can
  }
  expect(new copy.StatementError(failure)).not.toBeInstanceOf(StatementError);
  const copies = [
    new copy.StatementError(failure),
    new copy.EngineLostError(),
    new copy.ResultExistsError(),
    new Sub(),
  ];
  expect(copies.map(passed)).toEqual([
    ["StatementError"],
    ["EngineLostError"],
    ["ResultExistsError"],
    ["UnavailableError"],
  ]);
  const withoutFailure = Object.assign(new Error("m"), { name: "StatementError" });
  for (const other of [new Error("m"), withoutFailure, failure, null, undefined, "m", {}])
    expect(passed(other)).toEqual([]);
});

it("keeps the first 10,000 characters of a message, which a statement can make of any length", () => {
  const { failure: shown, message } = new StatementError({ ...failure, message: "x".repeat(1_000_000) });
  expect([shown.message, message]).toEqual(Array(2).fill(`${"x".repeat(10_000)}…`));
});
