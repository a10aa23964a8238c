import { type RefusedSeed, refused, wrong } from "./seed.ts";

const item = "/components/schemas/Item";
const name = `${item}/properties/name`;
const state = `${item}/properties/state`;
const wait = "/methods/0/params/0/schema/properties/wait";
const reference = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });
const other = "/components/schemas/Other";

/** Mistakes in schemas. */
export const schemaSeeds: readonly RefusedSeed[] = [
  wrong(`${name}/oneOf`, [true], "not supported", 'did you mean "anyOf"?'),
  wrong(`${name}/nullable`, true, '"nullable" is not supported', "use one of $ref"),
  wrong(`${name}/minLenght`, 1, 'did you mean "minLength"?'),
  refused({ [name]: reference("Itme") }, `${name}/$ref`, "unknown schema: Itme", 'did you mean "Item"?'),
  refused({ [name]: { $ref: "item.json" } }, `${name}/$ref`, "must begin with #/components/schemas/"),
  refused({ [name]: reference("GetItemParams") }, `${name}/$ref`, "unknown schema: GetItemParams"),
  refused(
    { [name]: { ...reference("Item"), type: "string" }, "/methods/0/examples": [] },
    `${name}/type`,
    "move the keyword",
  ),
  refused({ [other]: reference("Other") }, `${other}/$ref`, "(Other -> Other)", "describe a type"),
  refused(
    { [other]: reference("Third"), "/components/schemas/Third": reference("Other") },
    "/components/schemas/Third/$ref",
    "the schema Other is defined by itself (Other -> Third -> Other)",
  ),
  refused(
    { [other]: { anyOf: [{ type: "string" }, reference("Other")] } },
    `${other}/anyOf/1/$ref`,
    "is defined by itself",
    "put the reference into properties or items",
  ),
  refused(
    { [other]: { anyOf: [reference("Third")] }, "/components/schemas/Third": { anyOf: [reference("Other")] } },
    "/components/schemas/Third/anyOf/0/$ref",
    "Other -> Third -> Other",
  ),
  refused(
    {
      [`${item}/properties/inner`]: reference("Item"),
      [`${item}/required`]: ["name", "inner"],
      "/methods/0/examples": [],
    },
    item,
    "no value that fits the schema",
    "add an example",
  ),
  wrong(`${name}/pattern`, "(", "not a regular expression", "correct it"),
  wrong(`${name}/pattern`, "\\-", "correct it"),
  wrong(`${name}/format`, "uri", '"uri" is not checked', "pattern"),
  wrong(`${wait}/format`, "int64", '"int64"', "a string of digits by a pattern"),
  wrong(`${name}/format`, "date-tme", 'did you mean "date-time"?'),
  wrong(`${wait}/default`, "0", "the default does not fit its schema: must be integer"),
  wrong(`${wait}/default`, 51, "must be <= 50"),
  refused(
    { [name]: { type: "string", format: "date-time", default: "yesterday" }, "/methods/0/examples": [] },
    `${name}/default`,
    'must match format "date-time"',
  ),
  refused(
    {
      [other]: { type: "object", properties: { toString: { type: "string" } }, required: ["toString"], examples: [{}] },
    },
    `${other}/examples/0`,
    "toString",
  ),
  refused({ [`${name}/examples`]: ["lamp", 7] }, `${name}/examples/1`, "the example does not fit its schema"),
  refused({ [state]: { enum: [] }, "/methods/0/examples": [] }, `${state}/enum`, "must NOT have fewer than 1 items"),
  refused({ [name]: { type: "string", enum: ["lamp", 7] } }, `${name}/enum/1`, "must be string"),
  refused({ [name]: { enum: ["lamp", "lamp"] } }, `${name}/enum`, "must NOT have duplicate items"),
  refused({ [wait]: { type: "integer", const: "7" } }, `${wait}/const`, "must be integer"),
  refused(
    { [`${wait}/minimum`]: 60, [`${wait}/default`]: undefined },
    `${wait}/minimum`,
    "is above maximum 50",
    "swap them",
  ),
  refused(
    { [`${name}/minLength`]: 9, [`${name}/maxLength`]: 8, "/methods/0/examples": [] },
    `${name}/minLength`,
    "minLength 9 is above maxLength 8",
  ),
  refused(
    { [`${item}/required`]: ["nmae"], "/methods/0/examples": [] },
    `${item}/required`,
    '"nmae" is required',
    'did you mean "name"?',
  ),
  refused({ [name]: { type: "array", items: [true] }, "/methods/0/examples": [] }, `${name}/items`, "not a list"),
  wrong(other, { properties: { a: true } }, 'add "type": "object"'),
  refused({ [other]: { anyOf: [{ type: "null" }], type: "object" } }, `${other}/type`, "move it into each schema"),
  refused(
    { [other]: { type: "object", properties: { ["__proto__"]: { type: "string" } } } },
    `${other}/properties/__proto__`,
    'a member cannot be named "__proto__"',
    "rename it",
  ),
  wrong(other, false, "a schema must be an object or true, got false"),
];
