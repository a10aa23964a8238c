import type { MethodFlag } from "./method-command.ts";

/** Converts the name of a flag to its name in code: `query-run-id` to `queryRunId`. */
export function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Builds the params of a method from the values of its flags. Flags that are not set are not sent. */
export function methodParams(
  flags: readonly MethodFlag[],
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const params: Record<string, unknown> = {};
  for (const { name, path, kind } of flags) {
    const value = values[camelCase(name)];
    if (value === undefined) continue;
    assign(params, path, joined(kind, value));
  }
  return params;
}

/** Joins the values of a repeated flag, which `parsePair` or `parseList` has parsed one by one. */
function joined(kind: MethodFlag["kind"], value: unknown): unknown {
  if (kind === "map") return Object.fromEntries(value as readonly (readonly [string, string])[]);
  return kind === "list" ? (value as readonly (readonly string[])[]).flat() : value;
}

function assign(target: Record<string, unknown>, [member, ...rest]: readonly string[], value: unknown): void {
  if (member === undefined) return;
  if (rest.length === 0) {
    target[member] = value;
    return;
  }
  const inner = (target[member] ?? {}) as Record<string, unknown>; // only this function puts objects there
  target[member] = inner;
  assign(inner, rest, value);
}
