import { expect, test } from "vitest";
import { describe as describeValue, issueAt, issuesError } from "../src/issue.ts";

test("a value of more than 60 characters is shortened", () => {
  expect(describeValue("x".repeat(58))).toBe(`"${"x".repeat(58)}"`);
  expect(describeValue("x".repeat(59))).toBe(`"${"x".repeat(59)}…`);
});

test.each([
  [undefined, "nothing"],
  [null, "null"],
  [[], "an empty array"],
  [[1], "an array of 1"],
  [{}, "an object"],
  [-1.5, "-1.5"],
  [Number.POSITIVE_INFINITY, "a number beyond the range of doubles"],
  [() => 1, "function"],
])("%j is described as %s", (value, text) => {
  expect(describeValue(value)).toBe(text);
});

test("a JSON pointer escapes each tilde and each slash", () => {
  expect(issueAt(["a~b~c", 0, "d/e/f"], "a text", 1).pointer).toBe("/a~0b~0c/0/d~1e~1f");
});

test("an error reports its first issue with its position in the request", () => {
  const issues = [issueAt(["sql"], "a text", 7), issueAt([], "an object", undefined)];
  expect(issuesError(-32602, "Invalid params", issues, "/params/0")).toEqual({
    code: -32602,
    message: "Invalid params: /params/0/sql: expected a text, received 7",
    data: {
      issues: [
        { pointer: "/params/0/sql", expected: "a text", received: "7" },
        { pointer: "/params/0", expected: "an object", received: "nothing" },
      ],
    },
  });
  expect(issuesError(-32602, "Invalid params", issues.slice(1)).message).toBe(
    "Invalid params: expected an object, received nothing",
  );
  expect(issuesError(-32602, "Invalid params", [])).toEqual({
    code: -32602,
    message: "Invalid params",
    data: { issues: [] },
  });
});
