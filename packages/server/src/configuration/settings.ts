import type { SchemaNode, SchemaTable } from "@quern/protocol/validator";
import { descriptions } from "./descriptions.ts";
import { type Configuration, configurationTable } from "./table.ts";

/** Setting that an environment variable or a command-line flag can set. */
export interface Setting {
  /** Such as `limits.maxRunningRuns`. */
  readonly name: string;
  readonly path: readonly string[];
  /** Such as `QUERN_LIMITS_MAX_RUNNING_RUNS`. */
  readonly variable: string;
  /**
   * Parses the text of a variable or flag. An invalid text is returned unchanged; the check of the configuration
   * refuses it.
   */
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
    if (Array.isArray(type)) return text.trimStart().startsWith("[") ? listOf(text) : text; // a list, or an address
    if (type === "object") return pairsOf(text);
    return type === "array" ? listOf(text) : text;
  };
  return { name: path.join("."), path, variable: ["QUERN", ...snake].join("_"), parse };
}

/** Parses a list: a JSON array, or comma-separated texts. */
function listOf(text: string): unknown {
  if (!text.trimStart().startsWith("[")) return text.split(",").map((part) => part.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses an object of texts: JSON, or comma-separated pairs such as `sqlite=quern-sqlite`. */
function pairsOf(text: string): unknown {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text);
  } catch {
    return text;
  }
  const pairs = text.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : text;
}

/** Setting with its effective value. */
export interface SettingInForce {
  readonly name: string;
  /** Environment variable of the setting. */
  readonly variable: string;
  /** Configured value or default; a description of a default such as `none`; null if the setting has no default. */
  readonly value: unknown;
  /** True if the configuration sets it. */
  readonly isSet: boolean;
  readonly unit: string | null;
  readonly text: string | null;
}

/**
 * Lists every setting with its effective value.
 * @param defaults defaults of the program that starts the server, such as its port
 */
export function settingsInForce(configuration: Configuration, defaults: Configuration = {}): readonly SettingInForce[] {
  return settings.map(({ name, path, variable }) => {
    const set = valueAt(configuration, path);
    const described = descriptions[name];
    return {
      name,
      variable,
      value: set ?? valueAt(defaults, path) ?? described?.defaultText ?? described?.default ?? null,
      isSet: set !== undefined,
      unit: described?.unit ?? null,
      text: described?.text ?? null,
    };
  });
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return typeof value === "object" && value !== null ? valueAt(Reflect.get(value, name), rest) : undefined;
}
