import fc from "fast-check";
import { isObject } from "../json.ts";

/** Values that most schemas exclude. */
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

/** Generates JSON values in which one value is replaced, removed or added. */
export function oddValues(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    index: fc.nat(),
    value: fc.constantFrom(...odd),
    how: fc.constantFrom("replace", "remove", "add"),
  });
  return fc.tuple(values, change).map(([value, { index, value: other, how }]) => {
    const paths = pathsIn(value);
    return changed(value, paths[index % paths.length] ?? [], how, other);
  });
}

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [at, ...entries.flatMap(([key, inner]) => pathsIn(inner, [...at, key]))];
}

function changed(value: unknown, [key, ...rest]: Path, how: string, other: unknown): unknown {
  if (key === undefined) return how === "add" && isObject(value) ? { ...value, unknownMember: other } : other;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? changed(item, rest, how, other) : item));
  const entries = Object.entries(isObject(value) ? value : {});
  const left = rest.length === 0 && how === "remove" ? entries.filter(([name]) => name !== key) : entries;
  return Object.fromEntries(
    left.map(([name, inner]) => [name, name === key ? changed(inner, rest, how, other) : inner]),
  );
}
