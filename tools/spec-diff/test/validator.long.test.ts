import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { diffDocuments } from "../src/diff.ts";

/** Schemas without `oneOf`: if alternatives overlap after a change within one of them, no rule notices. */
const word = fc.constantFrom("a", "b", "ab", "abc");
const number = fc.constantFrom(0, 1, 2, 4, 1.5);
const count = fc.nat(3);
const names = fc.uniqueArray(fc.constantFrom("a", "b"));
const types = fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array");

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const members = fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { noNullPrototype: true });
  const record = (shape: Readonly<Record<string, fc.Arbitrary<unknown>>>, requiredKeys: string[] = []) =>
    fc.record(shape, { requiredKeys, noNullPrototype: true });
  const text = {
    type: fc.constant("string"),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$"),
  };
  const limits = { minimum: number, exclusiveMinimum: number, maximum: number, exclusiveMaximum: number };
  const object = { properties: members, required: names, additionalProperties: tie("schema"), maxProperties: count };
  const array = { items: tie("schema"), minItems: count, uniqueItems: fc.boolean() };
  const branches = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean(),
      record({ type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })) }, ["type"]),
      record(text, ["type"]),
      record({ enum: fc.uniqueArray(fc.oneof(word, number, fc.constant(null)), { minLength: 1, maxLength: 3 }) }),
      record({ const: fc.oneof(word, number) }),
      record({ type: fc.constantFrom("integer", "number"), multipleOf: fc.constantFrom(1, 2, 4), ...limits }, ["type"]),
      record({ type: fc.constant("object"), ...object }, ["type"]),
      record({ type: fc.constant("array"), ...array }, ["type"]),
      record({ anyOf: branches }),
      record({ allOf: branches }),
      record({ not: tie("schema") }),
    ),
  };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    number,
    fc.constantFrom(null, true),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));

const documentOf = (method: object) => ({ openrpc: "1.3.2", info: {}, methods: [{ name: "run", ...method }] });
const sent = (one: unknown) => documentOf({ params: [{ name: "a", schema: one }] });
const received = (one: unknown) => documentOf({ params: [], result: { name: "a", schema: one } });

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validates = (one: unknown, sample: unknown): boolean =>
  ajv.validate(typeof one === "boolean" ? one : Object(one), sample) === true;

it("agrees with a validator: values that a smaller change concerns stay valid", () => {
  const pair = fc.oneof(
    fc.tuple(schema, schema),
    schema.chain((one) => fc.tuple(fc.constant(one), mutated(one))),
  );
  fc.assert(
    fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([old, now], samples) => {
      const send = diffDocuments(sent(old), sent(now));
      const receive = diffDocuments(received(old), received(now));
      // A new optional member is minor, although an open object allowed other values under its name before.
      const isCompatible = send.every(({ level, rule }) => level !== "major" && !rule.startsWith("property-added"));
      const isExpected = receive.every(({ level }) => level !== "major");
      for (const sample of samples) {
        const [was, is] = [validates(old, sample), validates(now, sample)];
        if (isCompatible && was) expect(is, `sent ${JSON.stringify(sample)}`).toBe(true);
        if (isExpected && is) expect(was, `received ${JSON.stringify(sample)}`).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

/** Changes one keyword of a schema. */
function mutated(one: unknown): fc.Arbitrary<unknown> {
  if (typeof one !== "object" || one === null) return schema;
  const keys = Object.keys(one);
  return fc.tuple(fc.constantFrom(...keys, "description"), schema).map(([key, other]) => {
    const from: unknown = typeof other === "object" && other !== null ? Reflect.get(other, key) : undefined;
    const { [key]: _, ...rest }: Record<string, unknown> = { ...one };
    return from === undefined ? rest : { ...rest, [key]: from };
  });
}
