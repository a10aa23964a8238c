import { expect, it } from "vitest";
import { createContract } from "../../src/server/document.ts";
import { isRunSchema, itemSchema, memberSchema, runsIn } from "../../src/server/schema-walk.ts";

const run = { $ref: "#/components/schemas/Run" };
const contract = createContract({
  methods: [
    { name: "create" },
    {
      name: "poll",
      result: { schema: { type: "object", properties: { run } } },
      "x-poll": { request: { id: "/id" }, result: { state: "/run/state" }, final: ["DONE"] },
    },
  ],
  components: { schemas: { Run: { type: "object", properties: { state: {}, id: {} } } } },
});
const nullable = {
  anyOf: [{ type: "null" }, { anyOf: [{ properties: { a: { const: 1 }, b: false } }, { items: run }] }],
};

it("a member has the schema of the alternative that names it", () => {
  expect(memberSchema(contract, nullable, "a")).toEqual({ const: 1 });
  expect(memberSchema(contract, nullable, "b")).toBe(false);
  expect(memberSchema(contract, nullable, "c")).toBe(undefined);
  expect(memberSchema(contract, nullable, "toString")).toBe(undefined);
  expect(memberSchema(contract, run, "state")).toEqual({});
});

it("an item has the schema of the alternative that is a list", () => {
  expect(itemSchema(contract, nullable)).toBe(run);
  expect(itemSchema(contract, run)).toBe(undefined);
});

it("runs are found by their schema, at any depth", () => {
  const schema = { properties: { one: run, many: { items: run }, rows: { items: { properties: { state: {} } } } } };
  const value = { one: { id: 1 }, many: [{ id: 2 }, null, { id: 3 }], rows: [{ state: "DONE" }], other: { id: 4 } };
  expect(runsIn(contract, schema, value)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(runsIn(contract, undefined, value)).toEqual([]);
  expect(runsIn(contract, run, [{ id: 1 }])).toEqual([]);
  expect(runsIn(contract, run, null)).toEqual([]);
});

it("the schema of runs is the one that is polled", () => {
  expect(isRunSchema(contract, run)).toBe(true);
  expect(isRunSchema(contract, { anyOf: [{ type: "null" }, run] })).toBe(true);
  expect(isRunSchema(contract, { properties: { state: {}, id: {} } })).toBe(false);
  const { methods } = contract;
  const create = methods.get("create");
  const unpolled = { ...contract, methods: new Map(create && [["create", create]]) };
  expect(isRunSchema(unpolled, run)).toBe(false);
});
