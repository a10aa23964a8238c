import { type SchemaNode, validator } from "@quern/protocol/validator";
import { expect, it } from "vitest";
import { advisedSchema } from "../../src/admin/advised-schema.ts";

const color = { enum: ["red", "green", 'dark "blue"'] } as const;
const car: SchemaNode = {
  type: "object",
  properties: {
    color,
    wheels: {
      type: "array",
      items: { type: "object", properties: { radius: {}, width: {} }, additionalProperties: false },
    },
    owner: { ref: () => ({ type: "object", properties: { name: {} }, additionalProperties: false }) },
    seat: { anyOf: [{ type: "boolean" }, color] },
    empty: { type: "object", additionalProperties: false },
    colors: { type: "array", items: color },
  },
  additionalProperties: false,
};
const schema = advisedSchema(validator(car), car);

function issuesOf(value: unknown) {
  const { issues = [] } = schema["~standard"].validate(value);
  return issues.map(({ path, expected, message }) => [path.join("."), expected, message]);
}

it.each<[object, string, string]>([
  [{ colr: 1 }, "colr", "no such member; did you mean color?"],
  [{ xyzzy: 1 }, "xyzzy", "no such member; use one of color, wheels, owner, seat, empty, colors"],
  [{ wheels: [{ radiu: 1 }] }, "wheels.0.radiu", "no such member; did you mean radius?"],
  [{ wheels: [{}, { xyzzy: 1 }] }, "wheels.1.xyzzy", "no such member; use one of radius, width"],
  [{ owner: { nam: 1 } }, "owner.nam", "no such member; did you mean name?"],
  [{ empty: { colr: 1 } }, "empty.colr", "no such member"],
  [{ color: "gren" }, "color", 'did you mean "green"?'],
  [{ color: 'dark "bleu"' }, "color", 'did you mean "dark \\"blue\\""?'],
  [{ colors: ["red", "rad"] }, "colors.1", 'did you mean "red"?'],
])("the issue of %j has advice", (value, path, advice) => {
  const [issue, ...others] = issuesOf(value);
  expect(others).toEqual([]);
  expect(issue?.[0]).toBe(path);
  expect(issue?.[1]?.endsWith(advice)).toBe(true);
});

it("the advice is also in the message", () => {
  expect(issuesOf({ colr: 1 })[0]?.[2]).toMatch(/^expected no such member; did you mean color\?, received ./);
  expect(issuesOf({ color: "gren" })[0]?.[2]).toMatch(/^expected .*; did you mean "green"\?, received "gren"$/);
});

it.each<[string, object]>([
  ["a far word", { color: "xyzzy" }],
  ["another type", { wheels: 7 }],
  ["a member of an object without members", { empty: { a: 1 } }],
])("the issue of %s is unchanged", (_name, value) => {
  const { issues } = schema["~standard"].validate(value);
  expect(issues).toHaveLength(1);
  expect(issues).toEqual(validator(car)["~standard"].validate(value).issues);
});

it("a word has the advice of all alternatives", () => {
  expect(issuesOf({ seat: "gren" }).some(([, expected]) => expected?.endsWith('did you mean "green"?'))).toBe(true);
});

it("each of several issues has its advice", () => {
  expect(issuesOf({ colr: 1, ownr: 1 }).map(([, expected]) => expected)).toEqual([
    "no such member; did you mean color?",
    "no such member; did you mean owner?",
  ]);
});

it("a valid value is returned, and the other members of the schema are kept", () => {
  const value = { color: "red", wheels: [{ radius: 1 }], seat: true };
  expect(schema["~standard"].validate(value)).toEqual({ value });
  expect(schema["~standard"]).toMatchObject({ version: 1, vendor: "quern" });
});
