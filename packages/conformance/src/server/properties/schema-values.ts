import fc from "fast-check";
import type { Contract, DocumentMethod } from "../document.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Variables } from "../placeholders.ts";

const surrogates = { from: 0xd800, count: 0x800 };

/**
 * Generates any code point but surrogates. The unit `binary` of fast-check has the same ones, but takes a second to
 * list them.
 */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count));

/**
 * Generates values that a schema of the OpenRPC document allows. A member with a known name, such as `queryRunId`,
 * often gets the known value, because a call with an unknown id can only get the error that the object does not exist.
 */
function valuesOf(schema: unknown, contract: Contract, known: Variables = {}): fc.Arbitrary<unknown> {
  const { anyOf, enum: list, const: only, type, ...rules } = contract.resolve(schema);
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(list)) return fc.constantFrom<unknown>(...list);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => valuesOf(one, contract, known)));
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return fc.oneof(...types.map((one) => typedValues(String(one), rules, contract, known)));
}

/** Generates params that a method allows; undefined for a method without parameters. */
export function paramsOf({ params }: DocumentMethod, contract: Contract, known: Variables): fc.Arbitrary<unknown> {
  return params === undefined ? fc.constant(undefined) : valuesOf(params, contract, known);
}

function typedValues(type: string, rules: JsonObject, contract: Contract, known: Variables): fc.Arbitrary<unknown> {
  switch (type) {
    case "object":
      return objects(rules, contract, known);
    case "array":
      return fc.array(valuesOf(rules.items, contract, known), lengths(rules.minItems, rules.maxItems, 3));
    case "string":
      return strings(rules);
    case "integer":
      return integers(rules);
    case "number":
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

/** Returns the bounds of a length, of which the upper one is small. */
function lengths(least: unknown, most: unknown, usual: number): { minLength: number; maxLength: number } {
  const minLength = numberOr(least, 0);
  return { minLength, maxLength: Math.max(minLength, Math.min(numberOr(most, usual), usual)) };
}

function strings({ minLength, maxLength, format, examples }: JsonObject): fc.Arbitrary<string> {
  if (format === "date-time") {
    const range = { min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true };
    return fc.date(range).map((date) => date.toISOString());
  }
  const some = Array.isArray(examples) ? examples.filter((one) => typeof one === "string") : [];
  const length = lengths(minLength, maxLength, 20);
  const random = [fc.string(length), fc.string({ ...length, unit: character })];
  return fc.oneof(...random, ...(some.length > 0 ? [fc.constantFrom(...some)] : []));
}

function integers({ minimum, maximum }: JsonObject): fc.Arbitrary<number> {
  const min = numberOr(minimum, Number.MIN_SAFE_INTEGER);
  const max = numberOr(maximum, Number.MAX_SAFE_INTEGER);
  const small = fc.integer({ min, max: Math.min(max, min + 5) });
  return fc.oneof({ withCrossShrink: true }, small, fc.integer({ min, max }));
}

function objects(rules: JsonObject, contract: Contract, known: Variables): fc.Arbitrary<unknown> {
  const { properties, required, additionalProperties } = rules;
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const values = valuesOf(schema, contract, known);
    const own = Object.hasOwn(known, name)
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(known[name]) }, values)
      : values;
    return [name, own, needed.has(name)] as const;
  });
  const optional = members.filter(([, , isNeeded]) => !isNeeded).map(([name]) => name);
  return fc.subarray(optional).chain((chosen) => {
    const present = members.filter(([name, , isNeeded]) => isNeeded || chosen.includes(name));
    const named = fc.record(Object.fromEntries(present.map(([name, values]) => [name, values])));
    if (!isObject(additionalProperties)) return named;
    const key = fc.string({ minLength: 1, maxLength: 8 });
    const others = fc.dictionary(key, valuesOf(additionalProperties, contract), { maxKeys: 3, noNullPrototype: true });
    return fc.tuple(others, named).map(([rest, own]) => ({ ...rest, ...own }));
  });
}
