import { type RefusedSeed, refused } from "./seed.ts";

const rewritten = (title: string, from: string, to: string, pointer: string, ...messages: string[]): RefusedSeed => ({
  title,
  text: (json) => json.replace(from, to),
  faults: [[pointer, ...messages]],
});

const lamp = "/methods/0/examples/0";

/** Mistakes in JSON, and in OpenRPC's own members. */
export const documentSeeds: readonly RefusedSeed[] = [
  rewritten("is cut off", '"methods"', "", "", "is not JSON"),
  rewritten(
    "repeats a key",
    '"summary":"Read an item."',
    '"summary":"Read an item.","summary":"Read it."',
    "/methods/0/summary",
    'the key "summary" is repeated',
    "keep one of the two",
  ),
  rewritten(
    "repeats a key in an example",
    '"value":{"id":"7"',
    '"value":{"id":"8","id":"7"',
    `${lamp}/params/0/value/id`,
    "is repeated",
  ),
  rewritten(
    "has an integer beyond 2^53 in an example",
    '"name":"lamp"',
    '"size":9007199254740993,"name":"lamp"',
    `${lamp}/result/value/size`,
    "9007199254740993 has more digits than JavaScript keeps: it would become 9007199254740992",
    "describe the value as a string",
  ),
  rewritten(
    "has a decimal with more digits than a double",
    '"name":"lamp"',
    '"size":0.12345678901234567890,"name":"lamp"',
    `${lamp}/result/value/size`,
    "more digits than JavaScript keeps",
  ),
  rewritten(
    "has a bound beyond 2^53",
    '"maximum":50',
    '"maximum":9223372036854775807',
    "/methods/0/params/0/schema/properties/wait/maximum",
    "9223372036854775807 has more digits",
  ),
  rewritten(
    "has a number that is infinite",
    '"name":"lamp"',
    '"size":1e999,"name":"lamp"',
    `${lamp}/result/value/size`,
    "1e999 has more digits",
  ),
  refused("has methods that are no list", { "/methods": {} }, "/methods", "not OpenRPC 1.3: must be array"),
  refused("has no method", { "/methods": [] }, "/methods", "missing methods", "describe at least one"),
  refused("has no title", { "/info/title": undefined }, "/info", "must have required property 'title'"),
  refused(
    "misspells a member of info",
    { "/info/licence": { name: "MIT" } },
    "/info/licence",
    'unknown member: "licence"',
    'did you mean "license"?',
  ),
  refused(
    "misspells a member of a method",
    { "/methods/0/sumary": "x" },
    "/methods/0/sumary",
    'unknown member: "sumary"',
    'did you mean "summary"?',
  ),
  refused(
    "misspells a parameter structure",
    { "/methods/0/paramStructure": "by-positon" },
    "/methods/0/paramStructure",
    'did you mean "by-position"?',
  ),
  refused("has a method without parameters", { "/methods/1/params": undefined }, "/methods/1", "property 'params'"),
  {
    title: "lacks its methods, and has a member too many",
    set: { "/methods": undefined, "/method": [] },
    faults: [
      ["", "must have required property 'methods'"],
      ["/method", 'did you mean "methods"?'],
    ],
  },
  {
    title: "lacks parameters, and has a wrong tag",
    set: { "/methods/1/params": undefined, "/methods/1/tags": [7] },
    faults: [
      ["/methods/1", "must have required property 'params'"],
      ["/methods/1/tags/0", "must be object"],
    ],
  },
  {
    title: "is nested too deep",
    text: (json) => json.replace('"name":"lamp"', `"deep":${"[".repeat(300)}${"]".repeat(300)},"name":"lamp"`),
    faults: [[`${lamp}/result/value/deep${"/0".repeat(194)}`, "nested deeper than 200 levels", "components/schemas"]],
  },
  {
    title: "is nested deeper than the stack",
    text: (json) => json.replace('"name":"lamp"', `"deep":${"[".repeat(100_000)}${"]".repeat(100_000)},"name":"lamp"`),
    faults: [["", "nested deeper than 200 levels"]],
  },
  {
    title: "is no object",
    text: () => "[]",
    faults: [["", "must be object"]],
  },
  refused(
    "has an error without a code",
    { "/components/errors/ItemNotFound/code": undefined },
    "/components/errors/ItemNotFound",
    "must have required property 'code'",
  ),
  refused(
    "misspells a type",
    { "/components/schemas/Item/properties/name/type": "strng" },
    "/components/schemas/Item/properties/name/type",
    'did you mean "string"?',
  ),
  {
    title: "has several mistakes, which are listed in one run",
    set: {
      "/methods/0/sumary": "x",
      "/methods/1/x-page/result/rows": "/itmes",
      "/components/schemas/Item/properties/name/format": "uri",
      "/components/schemas/Item/properties/state": { $ref: "#/components/schemas/Sate" },
      "/x-errors/ItemNotFound/hnit": "x",
    },
    text: (json) => json.replace('"title":"Items"', '"title":"Items","title":"Things"'),
    faults: [
      ["/info/title", "is repeated"],
      ["/methods/0/sumary", 'did you mean "summary"?'],
      ["/components/schemas/Item/properties/name/format", 'the format "uri" is not checked'],
      ["/components/schemas/Item/properties/state/$ref", "unknown schema: Sate"],
      ["/x-errors/ItemNotFound/hnit", 'did you mean "hint"?'],
      ["/methods/1/x-page/result/rows", 'did you mean "items"?'],
    ],
  },
];
