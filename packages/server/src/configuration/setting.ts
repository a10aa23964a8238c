import type { SchemaNode, SchemaTable } from "@quern/protocol/validator";
import { configurationTable } from "./table.ts";

/** One thing that can be set by a text: in the environment, or on the command line. */
export interface Setting {
  /** Such as `limits.maxRunningRuns`. */
  readonly name: string;
  readonly path: readonly string[];
  /** Such as `QUERN_LIMITS_MAX_RUNNING_RUNS`. */
  readonly variable: string;
  /** What a text says. One that says no such thing stays as it is, and is refused with the rest. */
  parse(text: string): unknown;
}

export const settings: readonly Setting[] = settingsOf(configurationTable, []);

function settingsOf(table: SchemaTable, path: readonly string[]): Setting[] {
  if (table.properties === undefined) return [setting(table, path)];
  return Object.entries(table.properties).flatMap(([name, node]) => settingsOf(tableOf(node), [...path, name]));
}

function tableOf(node: SchemaNode): SchemaTable {
  return "ref" in node ? node.ref() : node;
}

function setting({ type }: SchemaTable, path: readonly string[]): Setting {
  const snake = path.map((part) => part.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  const parse = (text: string): unknown => {
    if (type === "integer" || type === "number")
      return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
    if (type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
    return type === "array" ? listOf(text) : text;
  };
  return { name: path.join("."), path, variable: ["QUERN", ...snake].join("_"), parse };
}

/** A list is JSON, or texts with commas between them. */
function listOf(text: string): unknown {
  if (!text.trimStart().startsWith("[")) return text.split(",").map((part) => part.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
