import { expect, it } from "vitest";
import { abortError, hasCode, QuernError } from "../../src/wire/quern-error.ts";

it.each([
  [new DOMException("not done within 5 ms", "TimeoutError"), "timeout", "m: not done within 5 ms"],
  [new DOMException("", "TimeoutError"), "timeout", "m: aborted"],
  [new Error("unmounted"), "aborted", "m: aborted"],
  [undefined, "aborted", "m: aborted"],
  ["gone", "aborted", "m: aborted"],
])("an abort by %s is an error of the kind %s", (cause, kind, message) => {
  expect(abortError(cause, "m")).toMatchObject({ kind, message, cause, method: "m" });
});

it("an abort without a method names none", () => {
  expect(abortError(undefined).message).toBe("aborted");
});

it.each([
  [{ code: 5 }, true],
  [{ code: 6 }, false],
  [undefined, false],
  [null, false],
])("%j has the code 5: %s", (error, has) => {
  expect(hasCode(error, 5)).toBe(has);
});

it("an error has its details, its class and its JSON", () => {
  const cause = new Error("c");
  const error = new QuernError("http", "HTTP 500", { status: 500, method: "m", cause });
  expect(error).toBeInstanceOf(Error);
  expect(error.cause).toBe(cause);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "QuernError",
    kind: "http",
    status: 500,
    method: "m",
    message: "m: HTTP 500",
  });
});
