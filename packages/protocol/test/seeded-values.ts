/** Random number from 0 to 1; equal seeds give equal series. */
export type Random = () => number;

/** The mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}

const strays: readonly [unknown, ...unknown[]] = [
  null, true, false, 0, -1, 1, 1.5, 2 ** 53, 51, "", "x", "😀", "csv", "asc", "QUERY_STATE_SUCCESS", "2026-11-20T09:30:00.000Z",
  "2026-02-30T09:30:00.000Z", "12", [], {}, ["x"], [null], [1, "a"], { column: "a" }, { a: 1 }, JSON.parse('{"__proto__":1}'),
]; // biome-ignore format: a list of small values

function asNumber(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function stringOf(schema: JsonSchema, random: Random): string {
  if (schema.format === "date-time") return new Date(1.7e12 + Math.floor(random() * 1e11)).toISOString();
  if (typeof schema.pattern === "string") return pick(random, ["12", "0", "a".repeat(64), "0f".repeat(32)]);
  const least = asNumber(schema.minLength, 0);
  const length = Math.min(asNumber(schema.maxLength, 1e9), least + Math.floor(random() * 4));
  return pick(random, ["a", "é", "😀"]).repeat(length);
}

function objectOf(schema: JsonSchema, random: Random, resolve: (ref: string) => JsonSchema, depth: number): unknown {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const entries: [string, unknown][] = [];
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    if ((required.includes(name) || random() < 0.5) && isObject(property))
      entries.push([name, schemaValue(property, random, resolve, depth + 1)]);
  }
  const { additionalProperties } = schema;
  if (isObject(additionalProperties) && random() < 0.7)
    entries.push(["extra", schemaValue(additionalProperties, random, resolve, depth + 1)]);
  return Object.fromEntries(entries);
}

/** Makes a value for a schema. Most values are valid; a keyword that this function ignores may make one invalid. */
export function schemaValue(
  schema: JsonSchema,
  random: Random,
  resolve: (ref: string) => JsonSchema,
  depth = 0,
): unknown {
  if (typeof schema.$ref === "string") return schemaValue(resolve(schema.$ref), random, resolve, depth);
  const choices: readonly unknown[] | undefined = [schema.enum, schema.anyOf].find(Array.isArray);
  if (choices !== undefined) {
    const choice = choices[Math.floor(random() * choices.length)];
    return schema.enum === undefined && isObject(choice) ? schemaValue(choice, random, resolve, depth) : choice;
  }
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  switch (types[Math.floor(random() * types.length)]) {
    case "string":
      return stringOf(schema, random);
    case "integer":
    case "number":
      return Math.min(asNumber(schema.maximum, 1e9), asNumber(schema.minimum, -2) + Math.floor(random() * 10));
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array": {
      const { items } = schema;
      const length = depth > 6 ? 0 : Math.floor(random() * 3);
      return Array.from({ length }, () =>
        isObject(items) ? schemaValue(items, random, resolve, depth + 1) : pick(random, strays),
      );
    }
    case "object":
      return objectOf(schema, random, resolve, depth);
    default:
      return pick(random, strays);
  }
}

function changeScalar(value: unknown, random: Random): unknown {
  if (typeof value === "number") return value + pick(random, [-1, 1, 0.5, -1000, 1e6]);
  if (typeof value === "string")
    return pick(random, [value.slice(1), `${value}x`, value.toUpperCase(), "", value.repeat(200)]);
  return pick(random, strays);
}

/** Returns the value with one random change: a missing or additional member, another type, a number beyond a bound. */
export function mutate(value: unknown, random: Random): unknown {
  if (random() < 0.12) return pick(random, strays);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * (value.length + 1));
    if (at === value.length || random() < 0.1) return [...value, pick(random, strays)];
    return value.map((item: unknown, index) => (index === at ? mutate(item, random) : item));
  }
  if (!isObject(value)) return changeScalar(value, random);
  const entries = Object.entries(value);
  const at = Math.floor(random() * (entries.length + 1));
  if (at === entries.length)
    return Object.fromEntries([
      ...entries,
      [pick(random, ["stray", "page", "__proto__", "sql"]), pick(random, strays)],
    ]);
  if (random() < 0.15) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, member], index) => [name, index === at ? mutate(member, random) : member]),
  );
}
