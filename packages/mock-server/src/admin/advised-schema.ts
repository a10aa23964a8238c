import type { Issue, Schema } from "@quern/json-rpc/envelope";
import { nearestWord } from "@quern/protocol/nearest-word";
import type { SchemaNode, SchemaTable } from "@quern/protocol/validator";
import { advice } from "../member-check.ts";

/**
 * Returns the schema with advice in its issues: for an unknown member the nearest name, or else all names; for a word
 * outside an enumeration the nearest word, if one is near.
 */
export function advisedSchema<T>(schema: Schema<T>, node: SchemaNode): Schema<T> {
  const { validate, ...standard } = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      validate(value) {
        const outcome = validate(value);
        return outcome.issues === undefined ? outcome : { issues: outcome.issues.map((issue) => advised(issue, node)) };
      },
    },
  };
}

function advised(issue: Issue, node: SchemaNode): Issue {
  const hint = issue.expected === "no such member" ? memberHint(issue, node) : wordHint(issue, node);
  if (hint === undefined) return issue;
  const expected = `${issue.expected}; ${hint}`;
  return { ...issue, expected, message: `expected ${expected}, received ${issue.received}` };
}

function memberHint({ path }: Issue, node: SchemaNode): string | undefined {
  const names = tablesAt(node, path.slice(0, -1)).flatMap(({ properties = {} }) => Object.keys(properties));
  return names.length === 0 ? undefined : advice(String(path.at(-1)), names);
}

function wordHint({ path, received }: Issue, node: SchemaNode): string | undefined {
  const words = tablesAt(node, path).flatMap((table) => table.enum ?? []);
  const meant = nearestWord(received.replace(/^"|"$/g, ""), words.map(String));
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`;
}

/** Returns the schemas that apply to the value at a path; with `anyOf`, of all alternatives. */
function tablesAt(node: SchemaNode | undefined, path: readonly PropertyKey[]): readonly SchemaTable[] {
  if (node === undefined) return [];
  const table = "ref" in node ? node.ref() : node;
  const alternatives = (table.anyOf ?? []).flatMap((one) => tablesAt(one, path));
  const [key, ...rest] = path;
  if (key === undefined) return [table, ...alternatives];
  const properties = new Map(Object.entries(table.properties ?? {}));
  const below = typeof key === "number" ? table.items : properties.get(String(key));
  return [...alternatives, ...tablesAt(below, rest)];
}
