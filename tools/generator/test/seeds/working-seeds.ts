import { type WorkingSeed, working } from "./working-seed.ts";

const string = { type: "string" };
const member = (name: string, schema: object, value: unknown, ...flags: readonly string[]) =>
  working(`has a member ${name}`, { members: { [name]: schema }, params: { [name]: value }, flags });
const method = (name: string, identifier: string, command: string) =>
  working(`has a method ${name}`, { name, identifier, command });
const schema = (name: string) =>
  working(`has a schema ${name}`, {
    result: { type: "array", items: { $ref: `#/components/schemas/${name}` } },
    schemas: { [name]: { type: "object", properties: { at: string }, required: ["at"] } },
    answer: [{ at: "now" }],
  });
const text = (title: string, value: string) =>
  working(`has an example with ${title}`, {
    members: { text: string },
    params: { text: value },
    flags: ["--text", value],
  });
const described = (title: string, description: string) =>
  working(`has a description with ${title}`, {
    members: { text: { ...string, description } },
    params: { text: "x" },
    flags: ["--text", "x"],
    more: { summary: description, description },
  });
const result = (title: string, described: object, answer: unknown, schemas = {}) =>
  working(`returns ${title}`, { result: described, answer, schemas });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const map = (additionalProperties: object) => ({ type: "object", additionalProperties });
/** Answers that are not maps of empty maps. */
const nests: Readonly<Record<string, unknown>> = {
  "a map of itself or null": { a: null, b: {} },
  "a map of itself or of texts": { a: "x", b: { c: "y" } },
  "alternatives, one a map of them": { a: "x", b: { c: "y" } },
  "a map of lists of itself": { a: [{ b: [] }] },
  "a map of objects with itself": { a: { inside: { b: {} } } },
};

const names: readonly WorkingSeed[] = [
  member("help", string, "x", "--param-help", "x"),
  member("json", { type: "boolean" }, true, "--param-json"),
  member("url", string, "http://a", "--param-url", "http://a"),
  member("apiKeyFile", string, "x", "--param-api-key-file", "x"),
  member("timeout_seconds", { type: "integer" }, 5, "--param-timeout-seconds", "5"),
  member("x", string, "1", "--param-x", "1"),
  member("1st", string, "1", "--param-1st", "1"),
  member("a b", string, "1", "--a-b", "1"),
  member("gr\u00f6\u00dfe", string, "1", "--gr-e", "1"),
  member("constructor", string, "1", "--constructor", "1"),
  member("toString", string, "1", "--to-string", "1"),
  member("$ref", string, "1", "--ref", "1"),
  member("ref", string, "1", "--ref", "1"),
  member("default", string, "1", "--default", "1"),
  member("version", string, "1", "--version", "1"),
  method("query", "queryMethod", "query-method"),
  method("method", "methodMethod", "method"),
  method("then", "thenMethod", "then"),
  method("delete", "deleteMethod", "delete"),
  method("undefined", "undefinedMethod", "undefined"),
  method("serve", "serve", "serve-method"),
  method("client", "clientMethod", "client"),
  method("infinite-results", "infiniteResultsMethod", "infinite-results"),
  method("notes.add_note", "notesAddNote", "notes-add-note"),
  method("HTTPStatus", "hTTPStatus", "http-status"),
  ...["Array", "Date", "Error", "Map", "Object", "String", "Boolean", "Function", "Partial"].map(schema),
];

const texts: readonly WorkingSeed[] = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what the corpus would take for a placeholder
  text("a placeholder of the corpus", "${b} and ${apiKey}"),
  text("the end of a comment", "*/ export {}"),
  text("quotes and backticks", 'it\'s "`quoted`" ${'),
  text("line breaks", "a\nb\u2028c\r\nd"),
  text("a private character", "\ue000[]"),
  described("the end of a comment", "Ends */ here."),
  described("other line breaks", "First line\r\nsecond line\rthird line."),
  described("tags", "@deprecated is\n@internal {@link x}."),
  described("Markdown", "# Not a | heading\n- <script>alert(1)</script> [x](y) `a|b` **b** ```"),
  working("has a deprecated method and member", {
    members: { old: { ...string, deprecated: true, description: "Its old name." } },
    params: { old: "x" },
    flags: ["--old", "x"],
    more: { deprecated: true },
  }),
  working("has two examples of one name", {
    more: {
      examples: ["a", "b"].map((value) => ({
        name: "same",
        params: [{ name: "request", value: {} }],
        result: { name: "result", value },
      })),
    },
    answer: "a",
  }),
  working("has an error SyntaxError", { more: { errors: [{ code: -31001, message: "SyntaxError" }] } }),
  working("spells out an error", { more: { errors: [{ code: -31002, message: "Shelf is full" }] } }),
  working("spells out the same error again", { more: { errors: [{ code: -31002, message: "Shelf is full" }] } }),
  working("only reads", { name: "readShelf", command: "read-shelf", more: { "x-read-only": true } }),
];

const values: readonly WorkingSeed[] = [
  working("has objects in place, one inside another", {
    members: { a: { type: "object", properties: { b: string, c: { type: "integer" } }, required: ["b"] } },
    params: { a: { b: "x", c: 1 } },
    flags: ["--a-b", "x", "--a-c", "1"],
  }),
  working("lists values that differ by case", {
    members: { side: { enum: ["LEFT", "left"] } },
    params: { side: "left" },
    flags: ["--side", "left"],
  }),
  working("lists values of several types", {
    members: { side: { enum: ["left", 1, null, { a: [1] }] } },
    params: { side: { a: [1] } },
    flags: ["--side", '{"a":[1]}'],
  }),
  working("lists bounds and values", {
    members: { size: { type: "integer", enum: [1, 5], minimum: 0, maximum: 9 } },
    params: { size: 5 },
    flags: ["--size", "5"],
  }),
  working("demands a constant", {
    members: { kind: { const: "note" } },
    params: { kind: "note" },
    flags: ["--kind", '"note"'],
  }),
  working("demands a number of members", {
    members: { tags: { type: "object", additionalProperties: string, minProperties: 1 } },
    params: { tags: { a: "1", "b=c": "2" } },
    flags: ["--tag", "a=1", "--tag", "b=c=2"],
  }),
  working("demands a pattern", {
    members: { code: { ...string, pattern: "^`[a-z/]+\\|$", examples: ["`a|"] } },
    params: { code: "`a/b|" },
    flags: ["--code", "`a/b|"],
  }),
  working("demands a date", {
    members: { at: { ...string, format: "date-time" } },
    params: { at: "2026-01-31T23:59:59Z" },
    flags: ["--at", "2026-01-31T23:59:59Z"],
  }),
  working("demands the greatest integer", {
    members: { size: { type: "integer", minimum: 0, maximum: 9007199254740991 } },
    params: { size: 9007199254740991 },
    flags: ["--size", "9007199254740991"],
  }),
  result("nothing", { type: "null" }, null),
  result("anything", true as unknown as object, { a: [null] }),
  result("an object of no members", { type: "object", additionalProperties: false }, {}),
  result(
    "a list of alternatives",
    { type: "array", items: { anyOf: [string, { type: "integer" }, { type: "null" }] } },
    ["a", 1, null],
  ),
  result(
    "a tree",
    reference("Tree"),
    { inside: [{ inside: [] }] },
    {
      Tree: {
        type: "object",
        properties: { inside: { type: "array", items: reference("Tree") } },
        required: ["inside"],
      },
    },
  ),
  ...Object.entries({
    "a map of itself": { Nest: map(reference("Nest")) },
    "a map of itself or null": { NullableNest: { ...map(reference("NullableNest")), type: ["object", "null"] } },
    "a map of itself or of texts": { MixedNest: map({ anyOf: [reference("MixedNest"), string] }) },
    "alternatives, one a map of them": { OpenNest: { anyOf: [string, map(reference("OpenNest"))] } },
    "a map of lists of itself": { ListNest: map({ type: "array", items: reference("ListNest") }) },
    "a map of objects with itself": {
      DeepNest: map({ type: "object", properties: { inside: reference("DeepNest") } }),
    },
    "maps of each other": { OddNest: map(reference("EvenNest")), EvenNest: map(reference("OddNest")) },
    "a map of itself with certain names": {
      NamedNest: { ...map(reference("NamedNest")), propertyNames: reference("NestName") },
      NestName: { ...string, pattern: "^[a-z]+$" },
    },
  }).map(([title, schemas]) =>
    result(title, reference(Object.keys(schemas)[0] ?? ""), nests[title] ?? { a: {} }, schemas),
  ),
  working("takes a map of itself", {
    members: { nest: reference("ParamNest") },
    params: { nest: { a: { b: {} } } },
    flags: ["--nest", '{"a":{"b":{}}}'],
    schemas: { ParamNest: map(reference("ParamNest")) },
  }),
  result(
    "members that objects inherit",
    reference("OwnNest"),
    { constructor: "a", toString: 1 },
    {
      OwnNest: {
        type: "object",
        properties: { constructor: string, toString: { type: "integer" } },
        required: ["constructor", "toString"],
      },
    },
  ),
  result("another name of a type", reference("Alias"), "x", { Alias: reference("Named"), Named: string }),
  result(
    "alternatives by reference",
    reference("Either"),
    { b: 1 },
    {
      Either: { anyOf: [reference("First"), reference("Second")] },
      First: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
      Second: { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
    },
  ),
];

/** Methods that work as functions and as commands. */
export const workingSeeds: readonly WorkingSeed[] = [...names, ...texts, ...values];
