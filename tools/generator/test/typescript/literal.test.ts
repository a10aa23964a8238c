import { describe, expect, it } from "vitest";
import { Code, literal, oneLine } from "../../src/typescript/literal.ts";

describe("a literal", () => {
  it.each([
    ["text", '"text"'],
    [[], "[]"],
    [{}, "{}"],
    [{ a: 1, "b-c": [true, null] }, '{ a: 1, "b-c": [true, null] }'],
    [{ "-32099": "x" }, '{ [-32099]: "x" }'],
    [JSON.parse('{ "__proto__": 1 }'), '{ ["__proto__"]: 1 }'],
    [{ ref: new Code("() => table") }, "{ ref: () => table }"],
    ["line\nbreak", '"line\\nbreak"'],
  ])("of %j", (given, want) => expect(literal(given)).toBe(want));

  it("has one member a line where the line would be too long", () => {
    expect(literal({ first: "x".repeat(60), second: ["y".repeat(60)] })).toBe(
      `{\n  first: "${"x".repeat(60)}",\n  second: ["${"y".repeat(60)}"],\n}`,
    );
  });

  it("stays on one line where it must", () => {
    expect(oneLine(["x".repeat(130)])).toBe(`["${"x".repeat(130)}"]`);
  });
});
