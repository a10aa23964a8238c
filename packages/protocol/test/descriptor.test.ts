import { expect, it } from "vitest";
import { method } from "../src/descriptor.ts";

it("describes a method by its name, errors and traits", () => {
  const errors = { [-32099]: "QueryRunNotFound" };
  expect(method("getQueryRun", errors, { repeatable: "reads", wait: "waitSeconds" })).toEqual({
    name: "getQueryRun",
    errors,
    repeatable: "reads",
    wait: "waitSeconds",
  });
});
