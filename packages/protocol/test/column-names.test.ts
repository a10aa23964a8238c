import { expect, it } from "vitest";
import { rowKeys, uniqueNames } from "../src/column-names.ts";

it("numbers repeated names in their order", () => {
  expect(uniqueNames(["a", "b", "a", "a"])).toEqual(["a", "b", "a_2", "a_3"]);
});

it("never takes a name that another column has", () => {
  expect(uniqueNames(["a", "a", "a_2"])).toEqual(["a", "a_3", "a_2"]);
});

it("compares without case, as engines do", () => {
  expect(uniqueNames(["A", "a"])).toEqual(["A", "a_2"]);
  expect(rowKeys(["Name", "NAME", "__proto__"])).toEqual(["name", "name_2", "__proto__"]);
});
