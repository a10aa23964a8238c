import { type RefusedSeed, refused, wrong } from "./seed.ts";

const schemas = "/components/schemas";
const errors = "/components/errors";
const object = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const taken = (name: string) =>
  wrong(
    `${schemas}/${name}`,
    object("a"),
    `would become the type ${name}, which generated code uses itself`,
    "rename it",
  );
const drop = "/methods/2/params/0/schema";
/** Params of `dropItem` if it is not a canceler. */
const members = (properties: object) => ({ "/methods/2/x-cancels": undefined, [drop]: { type: "object", properties } });
const method = (name: string) => ({
  name,
  params: [{ name: "request", schema: object() }],
  result: { name: "result", schema: { type: "null" } },
});
const string = { type: "string" };

/** Names that clash in generated code. */
export const nameSeeds: readonly RefusedSeed[] = [
  ...["Record", "Schema", "Readonly", "Promise", "Context", "MethodFunction", "Query", "QueryResult"].map(taken),
  wrong(`${schemas}/a-b`, true, '"a-b" cannot name a type', "PascalCase: AB"),
  wrong(`${errors}/too-long`, { code: -1, message: "x" }, "PascalCase: TooLong"),
  refused(
    { [`${errors}/Foo`]: { code: -1, message: "x" }, [`${errors}/FooError`]: { code: -2, message: "y" } },
    `${errors}/FooError`,
    "the error FooError would become the type FooError, like the error Foo at #/components/errors/Foo",
    "rename one of them",
  ),
  refused(
    { [`${schemas}/FooError`]: object("a"), [`${errors}/Foo`]: { code: -1, message: "x" } },
    `${errors}/Foo`,
    "like the schema FooError at #/components/schemas/FooError",
  ),
  wrong(`${errors}/Quern`, { code: -1, message: "x" }, "the type QuernError"),
  refused(
    { [`${schemas}/GetItemFailure`]: object("a") },
    "/methods/0/name",
    "the method getItem would become the type GetItemFailure, like the schema GetItemFailure",
  ),
  refused(
    { [`${schemas}/GetItemParams`]: object("a") },
    "/methods/0/params/0/schema",
    "the name GetItemParams is already in use by #/components/schemas/GetItemParams",
    "rename that one",
  ),
  wrong(`${schemas}/ITEM`, object("a"), "like the schema Item at #/components/schemas/Item"),
  refused({ "/methods/3": method("dropItem") }, "/methods/3/name", "like the method dropItem at #/methods/2/name"),
  refused(
    { "/methods/3": method("drop_item") },
    "/methods/3/name",
    "the method drop_item would become the function dropItem",
  ),
  refused({ "/methods/3": method("DROPItem") }, "/methods/3/name", "would become the command drop-item"),
  refused(
    { "/methods/3": method("query"), "/methods/4": method("queryMethod") },
    "/methods/4/name",
    "would become the function queryMethod, like the method query",
  ),
  refused(
    { "/methods/3": method("getItemOptions") },
    "/methods/3/name",
    "would become the function getItemOptions, like the method getItem",
  ),
  refused(
    members({ waitSeconds: string, wait_seconds: string }),
    `${drop}/properties/wait_seconds`,
    "the member wait_seconds would become the flag of drop-item --wait-seconds, like the member waitSeconds",
    "rename one of them",
  ),
  refused(members({ a1: string, a_1: string }), `${drop}/properties/a_1`, "like the member a1"),
  refused(
    members({ page: object("size"), pageSize: string }),
    `${drop}/properties/pageSize`,
    `like the member page.size at #${drop}/properties/page/properties/size`,
  ),
  refused(
    members({ tags: { type: "object", additionalProperties: string }, tag: string }),
    `${drop}/properties/tag`,
    "like the member tags",
  ),
  refused(
    members({ force: { type: "boolean" }, noForce: string }),
    `${drop}/properties/noForce`,
    "--no-force, like the member force",
  ),
  refused(members({ "\u65e5\u672c": string }), `${drop}/properties/\u65e5\u672c`, "gives no flag", "letter"),
];
