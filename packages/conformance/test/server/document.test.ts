import { expect, it, test } from "vitest";
import { createContract, withoutResultSchemas } from "../../src/server/document.ts";

const contract = createContract({
  methods: [
    {
      name: "create",
      params: [{ name: "params", schema: { $ref: "#/components/schemas/Params" } }],
      result: { name: "result", schema: { anyOf: [{ type: "string" }, { type: ["number", "null"] }] } },
      errors: [{ $ref: "#/components/errors/Busy" }, { code: -32001, message: "Gone" }],
      examples: [{ $ref: "#/components/examples/first" }, { name: "second", params: [], result: { value: 2 } }],
      links: [{ $ref: "#/components/links/poll" }, { name: "bare", method: "get" }, "no link"],
    },
    {
      name: "get",
      "x-poll": { request: { id: "/runId" }, result: { state: "/run/state" }, final: ["DONE"] },
      "x-page": {},
      "x-read-only": true,
    },
    {
      name: "cancel",
      "x-cancels": { method: "create", request: { run: "/runId", withdraw: "/requestId" } },
      "x-poll": { result: { state: "/run/state" } },
    },
  ],
  components: {
    schemas: {
      Params: {
        type: "object",
        required: ["sql"],
        additionalProperties: false,
        properties: { sql: { type: "string" }, size: { type: "integer", minimum: 1 }, kind: { enum: ["a", "b"] } },
      },
    },
    errors: { Busy: { code: -32002, message: "Busy" } },
    examples: { first: { name: "first", params: [{ value: { sql: "a" } }], result: { value: "b" } } },
    links: { poll: { name: "poll", method: "get", params: { params: { runId: "c" }, other: 1 } } },
  },
  "x-errors": { Busy: { data: { type: "object", required: ["retryAfter"] } } },
});
const method = (name: string) => contract.methods.get(name);

it("has the examples and links of each method", () => {
  expect(method("create")).toMatchObject({
    name: "create",
    examples: [
      { name: "first", params: { sql: "a" }, result: "b" },
      { name: "second", params: undefined, result: 2 },
    ],
    links: [
      { name: "poll", method: "get", params: { runId: "c" } },
      { name: "bare", method: "get", params: undefined },
    ],
    params: { type: "object" },
    poll: undefined,
    cancels: undefined,
    pages: false,
    repeatable: false,
  });
});

it("has the roles of each method", () => {
  expect(method("get")).toMatchObject({
    params: undefined,
    result: undefined,
    poll: { id: "runId", state: "/run/state", final: ["DONE"] },
    pages: true,
    repeatable: true,
  });
  expect(method("cancel")).toMatchObject({
    cancels: { method: "create", run: "runId", request: "requestId" },
    poll: undefined,
    pages: false,
    repeatable: true,
  });
});

it("has the declared errors of each method, with the schema of their data", () => {
  const errors = method("create")?.errors;
  expect([...(errors ?? [])].map(([code, { name }]) => [code, name])).toEqual([
    [-32002, "Busy"],
    [-32001, "Gone"],
  ]);
  expect(errors?.get(-32002)?.dataProblems({})).toEqual(["/retryAfter is missing"]);
  expect(errors?.get(-32001)?.dataProblems({})).toEqual([]);
});

test.each([
  [{ sql: "a", size: 1, kind: "b" }, []],
  [{}, ["/sql is missing"]],
  [{ sql: "a", more: 1 }, ["/more is not in the schema"]],
  [{ sql: "a", kind: "c" }, ['/kind must be one of ["a","b"], got "c"']],
  [{ sql: 1, size: 0 }, ["/sql must be string, got 1", "/size must be >= 1, got 0"]],
  [[], ["/ must be object, got []"]],
])("the params %j have the problems %j", (params, problems) => {
  expect(method("create")?.paramsProblems(params)).toEqual(problems);
});

test("a result that matches no alternative has the problems of each", () => {
  expect(method("create")?.resultProblems(true)).toEqual([
    "/ must be string, got true",
    "/ must be number or null, got true",
  ]);
  expect(method("create")?.resultProblems(null)).toEqual([]);
  expect(method("get")?.resultProblems(true)).toEqual([]);
  expect(withoutResultSchemas(contract).methods.get("create")?.resultProblems(true)).toEqual([]);
  expect(withoutResultSchemas(contract).methods.get("create")?.paramsProblems({})).toEqual(["/sql is missing"]);
});

test("an alternative without schemas of its own is a problem by itself", () => {
  const schema = { anyOf: [] };
  const { methods } = createContract({
    methods: [
      { name: "a", result: { schema: { not: {} } } },
      { name: "b", schema },
    ],
  });
  expect(methods.get("a")?.resultProblems(1)).toEqual(["/ must NOT be valid, got 1"]);
});

test("twenty problems of a value are listed, and the others counted", () => {
  const required = Array.from({ length: 22 }, (_, at) => `m${at}`);
  const problems = (names: readonly string[]) =>
    createContract({ methods: [{ name: "a", result: { schema: { required: names } } }] })
      .methods.get("a")
      ?.resultProblems({});
  const listed = required.slice(0, 20).map((name) => `/${name} is missing`);
  expect(problems(required.slice(0, 20))).toEqual(listed);
  expect(problems(required)).toEqual([...listed, "and 2 more"]);
});

test("a document without methods or with an unresolved reference is refused", () => {
  expect(() => createContract(null)).toThrow("invalid OpenRPC document: it has no methods");
  expect(() => createContract({ methods: {} })).toThrow("invalid OpenRPC document: it has no methods");
  expect(() => createContract({ methods: [{ name: "a", examples: [{ $ref: "#/b" }] }] })).toThrow(
    "unresolved reference in the OpenRPC document: #/b",
  );
});
