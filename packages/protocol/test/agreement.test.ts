import { readFileSync } from "node:fs";
import type { Schema } from "@quern/json-rpc/envelope";
import { contract } from "@quern/protocol/contract";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { createRandom, isObject, type JsonSchema, mutate, type Random, schemaValue } from "./seeded-values.ts";

/** Members of the document that this test reads. */
interface DocumentMethod {
  readonly name: string;
  readonly params: readonly { readonly schema: JsonSchema }[];
  readonly result: { readonly schema: JsonSchema };
  readonly examples: readonly {
    readonly params: readonly { readonly value: unknown }[];
    readonly result: { readonly value: unknown };
  }[];
}
interface Document {
  readonly methods: readonly DocumentMethod[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

// The generator validates the document by its meta-schema.
const document = JSON.parse(readFileSync(new URL("../../../spec/openrpc.json", import.meta.url), "utf8")) as Document;

function resolve(ref: string): JsonSchema {
  const schema = document.components.schemas[ref.replace("#/components/schemas/", "")];
  if (schema === undefined) throw new Error(`the document has no ${ref}`);
  return schema;
}

const ajv = new Ajv({ strict: false });
formats.default(ajv);
const byAjv = (schema: JsonSchema) => ajv.compile({ ...schema, components: document.components });

interface Subject {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly examples: readonly unknown[];
  readonly generated: Schema<unknown>;
  readonly judge: (value: unknown) => boolean;
}

const subjects = document.methods.flatMap(({ name, params, result, examples }): Subject[] => {
  const served = Object.entries(contract).find(([method]) => method === name)?.[1];
  const [param] = params;
  if (served === undefined || param === undefined) throw new Error(`the contract has no ${name}`);
  return [
    {
      name: `${name} params`,
      schema: param.schema,
      examples: examples.map((example) => example.params[0]?.value),
      generated: served.params,
      judge: byAjv(param.schema),
    },
    {
      name: `${name} result`,
      schema: result.schema,
      examples: examples.map((example) => example.result.value),
      generated: served.result,
      judge: byAjv(result.schema),
    },
  ];
});

function sample({ schema, examples }: Subject, random: Random): unknown {
  let value = random() < 0.4 ? examples[Math.floor(random() * examples.length)] : schemaValue(schema, random, resolve);
  for (let changes = Math.floor(random() * 4); changes > 0; changes--) value = mutate(value, random);
  // Only values that JSON can represent arrive over the wire.
  return JSON.parse(JSON.stringify(value));
}

test("generated validators and ajv on the document agree on 10,000 seeded values, valid and broken", () => {
  const random = createRandom(20261120);
  const counts = { valid: 0, broken: 0 };
  for (let round = 0; round * subjects.length < 10_000; round++) {
    for (const subject of subjects) {
      const value = sample(subject, random);
      const { issues } = subject.generated["~standard"].validate(value);
      const verdict = subject.judge(value);
      counts[verdict ? "valid" : "broken"]++;
      if ((issues === undefined) !== verdict) {
        expect.fail(
          `${subject.name}: ajv says ${verdict}, we say ${JSON.stringify(issues)} of ${JSON.stringify(value)}`,
        );
      }
    }
  }
  expect(counts.valid).toBeGreaterThan(2_000);
  expect(counts.broken).toBeGreaterThan(2_000);
  expect(counts.valid + counts.broken).toBeGreaterThanOrEqual(10_000);
});

test("every example of the document is valid", () => {
  for (const { name, examples, generated } of subjects) {
    for (const example of examples) expect(generated["~standard"].validate(example), name).toEqual({ value: example });
  }
  expect(subjects.every(({ schema }) => isObject(schema))).toBe(true);
});
