import { type RefusedSeed, refused } from "./seed.ts";

const item = "/components/schemas/Item";
const name = `${item}/properties/name`;
const state = `${item}/properties/state`;
const wait = "/methods/0/params/0/schema/properties/wait";
const reference = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });
const other = "/components/schemas/Other";

/** Mistakes in schemas. */
export const schemaSeeds: readonly RefusedSeed[] = [
  refused("uses oneOf", { [`${name}/oneOf`]: [true] }, `${name}/oneOf`, "not supported", 'did you mean "anyOf"?'),
  refused(
    "uses nullable",
    { [`${name}/nullable`]: true },
    `${name}/nullable`,
    '"nullable" is not supported',
    "use one of $ref",
  ),
  refused("misspells a keyword", { [`${name}/minLenght`]: 1 }, `${name}/minLenght`, 'did you mean "minLength"?'),
  refused(
    "refers to nothing",
    { [name]: reference("Itme") },
    `${name}/$ref`,
    "unknown schema: Itme",
    'did you mean "Item"?',
  ),
  refused(
    "refers to another file",
    { [name]: { $ref: "item.json" } },
    `${name}/$ref`,
    "must begin with #/components/schemas/",
  ),
  refused(
    "refers to a schema that is written in place",
    { [name]: reference("GetItemParams") },
    `${name}/$ref`,
    "unknown schema: GetItemParams",
  ),
  refused(
    "has a type beside a reference",
    { [name]: { ...reference("Item"), type: "string" }, "/methods/0/examples": [] },
    `${name}/type`,
    "move the keyword",
  ),
  refused("refers to itself", { [other]: reference("Other") }, `${other}/$ref`, "(Other -> Other)", "describe a type"),
  refused(
    "has references in a circle",
    { [other]: reference("Third"), "/components/schemas/Third": reference("Other") },
    "/components/schemas/Third/$ref",
    "the schema Other is defined by itself (Other -> Third -> Other)",
  ),
  refused(
    "is an alternative of itself",
    { [other]: { anyOf: [{ type: "string" }, reference("Other")] } },
    `${other}/anyOf/1/$ref`,
    "is defined by itself",
    "put the reference into properties or items",
  ),
  refused(
    "has alternatives in a circle",
    { [other]: { anyOf: [reference("Third")] }, "/components/schemas/Third": { anyOf: [reference("Other")] } },
    "/components/schemas/Third/anyOf/0/$ref",
    "Other -> Third -> Other",
  ),
  refused(
    "allows only endless values",
    {
      [`${item}/properties/inner`]: reference("Item"),
      [`${item}/required`]: ["name", "inner"],
      "/methods/0/examples": [],
    },
    item,
    "no value that fits the schema",
    "add an example",
  ),
  refused(
    "has an invalid pattern",
    { [`${name}/pattern`]: "(" },
    `${name}/pattern`,
    "not a regular expression",
    "correct it",
  ),
  refused(
    "has a pattern that only works without the u flag",
    { [`${name}/pattern`]: "\\-" },
    `${name}/pattern`,
    "correct it",
  ),
  refused("has the format uri", { [`${name}/format`]: "uri" }, `${name}/format`, '"uri" is not checked', "pattern"),
  refused(
    "has the format int64",
    { [`${wait}/format`]: "int64" },
    `${wait}/format`,
    '"int64"',
    "a string of digits by a pattern",
  ),
  refused("misspells a format", { [`${name}/format`]: "date-tme" }, `${name}/format`, 'did you mean "date-time"?'),
  refused(
    "has a default of another type",
    { [`${wait}/default`]: "0" },
    `${wait}/default`,
    "the default does not fit its schema: must be integer",
  ),
  refused("has a default out of bounds", { [`${wait}/default`]: 51 }, `${wait}/default`, "must be <= 50"),
  refused(
    "has a default that is no date",
    { [name]: { type: "string", format: "date-time", default: "yesterday" }, "/methods/0/examples": [] },
    `${name}/default`,
    'must match format "date-time"',
  ),
  refused(
    "has an example that breaks its schema",
    { [`${name}/examples`]: ["lamp", 7] },
    `${name}/examples/1`,
    "the example does not fit its schema",
  ),
  refused(
    "lists no value",
    { [state]: { enum: [] }, "/methods/0/examples": [] },
    `${state}/enum`,
    "must NOT have fewer than 1 items",
  ),
  refused(
    "lists a value of another type",
    { [name]: { type: "string", enum: ["lamp", 7] } },
    `${name}/enum/1`,
    "must be string",
  ),
  refused(
    "lists a value twice",
    { [name]: { enum: ["lamp", "lamp"] } },
    `${name}/enum`,
    "must NOT have duplicate items",
  ),
  refused(
    "has a constant of another type",
    { [wait]: { type: "integer", const: "7" } },
    `${wait}/const`,
    "must be integer",
  ),
  refused(
    "has a minimum above the maximum",
    { [`${wait}/minimum`]: 60, [`${wait}/default`]: undefined },
    `${wait}/minimum`,
    "is above maximum 50",
    "swap them",
  ),
  refused(
    "has a least length above the greatest",
    { [`${name}/minLength`]: 9, [`${name}/maxLength`]: 8, "/methods/0/examples": [] },
    `${name}/minLength`,
    "minLength 9 is above maxLength 8",
  ),
  refused(
    "misspells a required member",
    { [`${item}/required`]: ["nmae"], "/methods/0/examples": [] },
    `${item}/required`,
    '"nmae" is required',
    'did you mean "name"?',
  ),
  refused(
    "has a list of schemas for items",
    { [name]: { type: "array", items: [true] }, "/methods/0/examples": [] },
    `${name}/items`,
    "not a list",
  ),
  refused("has members of no type", { [other]: { properties: { a: true } } }, other, 'add "type": "object"'),
  refused(
    "has members beside alternatives",
    { [other]: { anyOf: [{ type: "null" }], type: "object" } },
    `${other}/type`,
    "move it into each schema",
  ),
  refused(
    "has a member __proto__",
    { [other]: { type: "object", properties: { ["__proto__"]: { type: "string" } } } },
    `${other}/properties/__proto__`,
    'a member cannot be named "__proto__"',
    "rename it",
  ),
  refused("forbids all values", { [other]: false }, other, "a schema must be an object or true, got false"),
];
