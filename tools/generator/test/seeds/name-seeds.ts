import { type RefusedSeed, refused } from "./seed.ts";

const schemas = "/components/schemas";
const errors = "/components/errors";
const object = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const taken = (name: string) =>
  refused(
    `has a schema ${name}`,
    { [`${schemas}/${name}`]: object("a") },
    `${schemas}/${name}`,
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
  refused(
    "has a schema that is no PascalCase",
    { [`${schemas}/a-b`]: true },
    `${schemas}/a-b`,
    '"a-b" cannot name a type',
    "PascalCase: AB",
  ),
  refused(
    "has an error that is no PascalCase",
    { [`${errors}/too-long`]: { code: -1, message: "x" } },
    `${errors}/too-long`,
    "PascalCase: TooLong",
  ),
  refused(
    "has the errors Foo and FooError",
    { [`${errors}/Foo`]: { code: -1, message: "x" }, [`${errors}/FooError`]: { code: -2, message: "y" } },
    `${errors}/FooError`,
    "the error FooError would become the type FooError, like the error Foo at #/components/errors/Foo",
    "rename one of them",
  ),
  refused(
    "has a schema and an error of one name",
    { [`${schemas}/FooError`]: object("a"), [`${errors}/Foo`]: { code: -1, message: "x" } },
    `${errors}/Foo`,
    "like the schema FooError at #/components/schemas/FooError",
  ),
  refused(
    "has an error Quern",
    { [`${errors}/Quern`]: { code: -1, message: "x" } },
    `${errors}/Quern`,
    "the type QuernError",
  ),
  refused(
    "has a schema with the name of a failure",
    { [`${schemas}/GetItemFailure`]: object("a") },
    "/methods/0/name",
    "the method getItem would become the type GetItemFailure, like the schema GetItemFailure",
  ),
  refused(
    "has a schema with the name of parameters",
    { [`${schemas}/GetItemParams`]: object("a") },
    "/methods/0/params/0/schema",
    "the name GetItemParams is already in use by #/components/schemas/GetItemParams",
    "rename that one",
  ),
  refused(
    "has schemas that differ by case",
    { [`${schemas}/ITEM`]: object("a") },
    `${schemas}/ITEM`,
    "like the schema Item at #/components/schemas/Item",
  ),
  refused(
    "has one method twice",
    { "/methods/3": method("dropItem") },
    "/methods/3/name",
    "like the method dropItem at #/methods/2/name",
  ),
  refused(
    "has methods that differ by separators",
    { "/methods/3": method("drop_item") },
    "/methods/3/name",
    "the method drop_item would become the function dropItem",
  ),
  refused(
    "has methods of one command",
    { "/methods/3": method("DROPItem") },
    "/methods/3/name",
    "would become the command drop-item",
  ),
  refused(
    "has methods query and queryMethod",
    { "/methods/3": method("query"), "/methods/4": method("queryMethod") },
    "/methods/4/name",
    "would become the function queryMethod, like the method query",
  ),
  refused(
    "has a method with the name of options",
    { "/methods/3": method("getItemOptions") },
    "/methods/3/name",
    "would become the function getItemOptions, like the method getItem",
  ),
  refused(
    "has members of one flag",
    members({ waitSeconds: string, wait_seconds: string }),
    `${drop}/properties/wait_seconds`,
    "the member wait_seconds would become the flag of drop-item --wait-seconds, like the member waitSeconds",
    "rename one of them",
  ),
  refused(
    "has members that differ by a digit's separator",
    members({ a1: string, a_1: string }),
    `${drop}/properties/a_1`,
    "like the member a1",
  ),
  refused(
    "has a nested member of one flag",
    members({ page: object("size"), pageSize: string }),
    `${drop}/properties/pageSize`,
    `like the member page.size at #${drop}/properties/page/properties/size`,
  ),
  refused(
    "has a map with the flag of its singular",
    members({ tags: { type: "object", additionalProperties: string }, tag: string }),
    `${drop}/properties/tag`,
    "like the member tags",
  ),
  refused(
    "has a member with the flag of a denial",
    members({ force: { type: "boolean" }, noForce: string }),
    `${drop}/properties/noForce`,
    "--no-force, like the member force",
  ),
  refused(
    "has a member without letters",
    members({ "\u65e5\u672c": string }),
    `${drop}/properties/\u65e5\u672c`,
    "gives no flag",
    "letter",
  ),
];
