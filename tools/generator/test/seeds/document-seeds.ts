import { lacks, type RefusedSeed, wrong } from "./seed.ts";

const rewritten = (from: string, to: string, pointer: string, ...messages: string[]): RefusedSeed => ({
  text: (json) => json.replace(from, to),
  faults: [[pointer, ...messages]],
});

const lamp = "/methods/0/examples/0";

/** Mistakes in JSON, and in OpenRPC's own members. */
export const documentSeeds: readonly RefusedSeed[] = [
  rewritten('"methods"', "", "", "is not JSON"),
  rewritten(
    '"summary":"Read an item."',
    '"summary":"Read an item.","summary":"Read it."',
    "/methods/0/summary",
    'the key "summary" is repeated',
    "keep one of the two",
  ),
  rewritten('"value":{"id":"7"', '"value":{"id":"8","id":"7"', `${lamp}/params/0/value/id`, "is repeated"),
  rewritten(
    '"name":"lamp"',
    '"size":9007199254740993,"name":"lamp"',
    `${lamp}/result/value/size`,
    "9007199254740993 has more digits than JavaScript keeps: it would become 9007199254740992",
    "describe the value as a string",
  ),
  rewritten(
    '"name":"lamp"',
    '"size":0.12345678901234567890,"name":"lamp"',
    `${lamp}/result/value/size`,
    "more digits than JavaScript keeps",
  ),
  rewritten(
    '"maximum":50',
    '"maximum":9223372036854775807',
    "/methods/0/params/0/schema/properties/wait/maximum",
    "9223372036854775807 has more digits",
  ),
  rewritten('"name":"lamp"', '"size":1e999,"name":"lamp"', `${lamp}/result/value/size`, "1e999 has more digits"),
  wrong("/openrpc", "9.0.0", "not OpenRPC 1.3: must be equal to one of"),
  wrong("/methods", {}, "not OpenRPC 1.3: must be array"),
  wrong("/methods", [], "missing methods", "describe at least one"),
  lacks("/info/title", "must have required property 'title'"),
  wrong("/info/licence", { name: "MIT" }, 'unknown member: "licence"', 'did you mean "license"?'),
  wrong("/methods/0/sumary", "x", 'unknown member: "sumary"', 'did you mean "summary"?'),
  wrong("/methods/0/paramStructure", "by-positon", 'did you mean "by-position"?'),
  lacks("/methods/1/params", "property 'params'"),
  {
    set: { "/methods": undefined, "/method": [] },
    faults: [
      ["", "must have required property 'methods'"],
      ["/method", 'did you mean "methods"?'],
    ],
  },
  {
    set: { "/methods/1/params": undefined, "/methods/1/tags": [7] },
    faults: [
      ["/methods/1", "must have required property 'params'"],
      ["/methods/1/tags/0", "must be object"],
    ],
  },
  {
    text: (json) => json.replace('"name":"lamp"', `"deep":${"[".repeat(300)}${"]".repeat(300)},"name":"lamp"`),
    faults: [[`${lamp}/result/value/deep${"/0".repeat(194)}`, "nested deeper than 200 levels", "components/schemas"]],
  },
  {
    text: (json) => json.replace('"name":"lamp"', `"deep":${"[".repeat(100_000)}${"]".repeat(100_000)},"name":"lamp"`),
    faults: [["", "nested deeper than 200 levels"]],
  },
  {
    text: () => "[]",
    faults: [["", "must be object"]],
  },
  lacks("/components/errors/ItemNotFound/code", "must have required property 'code'"),
  wrong("/components/schemas/Item/properties/name/type", "strng", 'did you mean "string"?'),
  {
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
