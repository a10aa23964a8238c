import type { Faults } from "./faults.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";

const prefix = "#/components/schemas/";

/**
 * Reports schemas that are defined by themselves: by `$ref` and `anyOf` only, without a member or item between. Returns
 * the pointers of the references that close such a cycle.
 */
export function endlessReferences(schemas: JsonObject, faults: Faults): ReadonlySet<string> {
  const closing = new Set<string>();
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    for (const { target, pointer } of sameValue(schemas[name], pointerBelow("/components/schemas", name))) {
      if (path.includes(target)) {
        closing.add(pointer);
        const cycle = [...path.slice(path.indexOf(target)), target].join(" -> ");
        faults.report(
          `${pointer}/$ref`,
          `the schema ${target} is defined by itself (${cycle}); describe a type, or put the reference into properties or items`,
        );
      } else if (!done.has(target)) visit(target, [...path, target]);
    }
    done.add(name);
  };
  for (const name of Object.keys(schemas)) if (!done.has(name)) visit(name, [name]);
  return closing;
}

/** Returns the references of a schema that describe the same value. */
function sameValue(schema: unknown, pointer: string): readonly { readonly target: string; readonly pointer: string }[] {
  if (!isJsonObject(schema)) return [];
  if (typeof schema.$ref === "string" && schema.$ref.startsWith(prefix))
    return [{ target: pointerSegments(schema.$ref.slice(prefix.length - 1))[0] ?? "", pointer }];
  if (!Array.isArray(schema.anyOf)) return [];
  return schema.anyOf.flatMap((member, index) => sameValue(member, pointerBelow(pointer, "anyOf", index)));
}
