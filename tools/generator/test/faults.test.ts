import { expect, it } from "vitest";
import { suggestion } from "../src/faults.ts";

it("suggests no name that a document cannot use", () => {
  expect(suggestion("_proto_", ["__proto__", "name"])).toBe("; use one of name");
  expect(suggestion("nmae", ["__proto__", "name"])).toBe('; did you mean "name"?');
});
