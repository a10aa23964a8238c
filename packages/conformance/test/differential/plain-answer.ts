import { isObject } from "../../src/server/json.ts";

/** Names of members whose values the contract leaves open. */
const free = new Set([
  "totalSize",
  "path",
  "fileNames",
  "url",
  "nextCursor",
  "userId",
  "message",
  "expected",
  "received",
  "engineType",
]);
const ids = new Set(["id", "queryRunId", "queryRequestId", "sqlStatementId"]);
/** Names of members that show the progress of a run, which the contract leaves open, too. */
const progress = /^(state|rowCount|fileCount|lastFileNumber|columnMetadata)$|At$/;

/** Names of members that a run has only for a moment, and that the contract leaves open. */
const momentary = new Set(["queuePosition", "progress"]);

/** Makes answers comparable: replaces ids by their order of appearance, and open values by whether they are null. */
export function createPlainAnswers() {
  const known = new Map<string, string>();

  function idOf(id: string): string {
    const name = known.get(id) ?? `id ${known.size}`;
    known.set(id, name);
    return name;
  }

  function member(name: string, value: unknown, isBegun: boolean): unknown {
    if (isBegun && progress.test(name)) return "any";
    if (value === null) return null;
    if (free.has(name) || name.endsWith("At")) return "there";
    return ids.has(name) && typeof value === "string" ? idOf(value) : plain(value, isBegun);
  }

  function plain(value: unknown, isBegun: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => plain(item, isBegun));
    if (!isObject(value)) return value;
    const names = Object.keys(value)
      .filter((name) => !momentary.has(name))
      .sort();
    return Object.fromEntries(names.map((name) => [name, member(name, value[name], isBegun)]));
  }
  return { plain };
}
