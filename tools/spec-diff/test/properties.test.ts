import fc from "fast-check";
import { expect, it } from "vitest";
import { diffDocuments } from "../src/diff.ts";
import { partAt } from "../src/part.ts";
import documents from "./cases/documents.json" with { type: "json" };
import schemas from "./cases/schemas.json" with { type: "json" };

/** Values of the cases, also at wrong places: schemas, methods, references, lists, texts. */
const values: readonly unknown[] = [...schemas, ...documents].flatMap(({ old, new: now }) => [
  ...inner(old),
  ...inner(now),
]);

function inner(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(inner)] : [value];
}

const names = ["a", "type", "enum", "anyOf", "allOf", "properties", "required", "items", "$ref", "minimum", "maximum"];
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...values),
    fc.constantFrom("a", "b").map((name) => ({ $ref: `#/components/schemas/${name}` })),
    fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 }),
    fc.array(tie("schema"), { maxLength: 3 }),
  ),
}));
const method = fc.oneof(
  fc.constantFrom(...values),
  fc.record(
    {
      name: fc.constantFrom("run", "stop", 1),
      paramStructure: fc.constantFrom("by-name", "by-position", "either", null),
      params: fc.oneof(fc.array(fc.record({ name: fc.constantFrom("a", "b"), schema })), schema),
      result: fc.oneof(fc.record({ name: fc.constant("result"), schema }), schema),
      errors: fc.oneof(fc.array(fc.record({ code: fc.constantFrom(1, 2) })), schema),
      "x-tool": schema,
    },
    { requiredKeys: [] },
  ),
);
const openrpcDocument = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      methods: fc.array(method, { maxLength: 3 }),
      components: fc.record({ schemas: fc.record({ a: schema, b: schema }) }),
    }),
  },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 3 }).map((value) => value ?? null) },
);

/** Documents are JSON, whose objects have the usual prototype. */
const json = openrpcDocument.map((value): unknown => JSON.parse(JSON.stringify(value)));

it("compares any two values, finds no change in equal ones, and names a place of each change", () => {
  fc.assert(
    fc.property(json, json, (old, now) => {
      expect(diffDocuments(old, structuredClone(old))).toEqual([]);
      for (const { document, pointer } of diffDocuments(old, now))
        expect(partAt(document === "old" ? old : now, pointer), pointer).toBeDefined();
    }),
    { numRuns: 150 },
  );
});
