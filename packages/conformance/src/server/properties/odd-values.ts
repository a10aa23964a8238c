import fc from "fast-check";
import { isObject } from "../json.ts";

/** Values that schemas seldom allow. */
export const odd: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "text",
  [],
  {},
  [null],
  { odd: 1 },
  "x".repeat(300),
];

/** A JSON value in which one thing is replaced, left out or added. */
export function oddValues(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    place: fc.nat(),
    value: fc.constantFrom(...odd),
    how: fc.constantFrom("replace", "leave out", "add"),
  });
  return fc.tuple(values, change).map(([value, { place, value: other, how }]) => {
    const places = placesIn(value);
    return changed(value, places[place % places.length] ?? [], how, other);
  });
}

type Place = readonly (string | number)[];

function placesIn(value: unknown, at: Place = []): readonly Place[] {
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [at, ...entries.flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
}

function changed(value: unknown, [key, ...rest]: Place, how: string, other: unknown): unknown {
  if (key === undefined) return how === "add" && isObject(value) ? { ...value, unheardOf: other } : other;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? changed(item, rest, how, other) : item));
  const entries = Object.entries(isObject(value) ? value : {});
  const left = rest.length === 0 && how === "leave out" ? entries.filter(([name]) => name !== key) : entries;
  return Object.fromEntries(
    left.map(([name, inner]) => [name, name === key ? changed(inner, rest, how, other) : inner]),
  );
}
