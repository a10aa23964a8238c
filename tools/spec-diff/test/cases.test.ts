import { expect, it } from "vitest";
import { diffDocuments } from "../src/diff.ts";
import { partAt } from "../src/part.ts";
import { type RuleName, rules } from "../src/rules.ts";
import documents from "./cases/documents.json" with { type: "json" };
import schemas from "./cases/schemas.json" with { type: "json" };

const base = { openrpc: "1.3.2", info: { title: "Cases", version: "1" } };
/** Definitions to which schemas of cases refer. */
const components = {
  schemas: {
    Short: { type: "string", maxLength: 3 },
    Brief: { type: "string", maxLength: 3 },
    Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" }, value: { type: "string" } } },
  },
};

/** Returns a line for each change: level, rule, and the pointer below a part, after `old` for the old document. */
function linesOf(old: unknown, now: unknown, below = ""): string[] {
  return diffDocuments(old, now).map(({ level, rule, document, pointer }) => {
    expect(partAt(document === "old" ? old : now, pointer), `${rule} at ${pointer}`).toBeDefined();
    const place = pointer.startsWith(below) ? pointer.slice(below.length) : pointer;
    return [level, rule, document === "old" ? "old" : "", place].filter((word) => word !== "").join(" ");
  });
}

const sent = (schema: unknown) => ({
  ...base,
  methods: [{ name: "run", params: [{ name: "request", schema }], result: { name: "result", schema: true } }],
  components,
});
const received = (schema: unknown) => ({
  ...base,
  methods: [{ name: "run", params: [], result: { name: "result", schema } }],
  components,
});

it("classifies changes of schemas that a caller sends and receives", () => {
  const send = "/methods/0/params/0/schema";
  const receive = "/methods/0/result/schema";
  const wanted = schemas.map((one) => ({ name: one.name, send: one.send.toSorted(), receive: one.receive.toSorted() }));
  const found = schemas.map((one) => ({
    name: one.name,
    send: linesOf(sent(one.old), sent(one.new), send).sort(),
    receive: linesOf(received(one.old), received(one.new), receive).sort(),
  }));
  expect(found).toEqual(wanted);
});

it("classifies changes of documents", () => {
  const wanted = documents.map(({ name, want }) => ({ name, want: want.toSorted() }));
  const found = documents.map(({ name, old, new: now }) => ({
    name,
    want: linesOf({ ...base, methods: [], ...old }, { ...base, methods: [], ...now }).sort(),
  }));
  expect(found).toEqual(wanted);
});

it("has a case for every rule", () => {
  const all = JSON.stringify([schemas, documents]);
  const names = Object.keys(rules) as RuleName[];
  expect(names.filter((name) => !all.includes(` ${name} `) && !all.includes(` ${name}"`))).toEqual([]);
});
