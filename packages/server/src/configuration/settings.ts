import type { SchemaTable } from "@quern/protocol/validator";
import { type ProgramSettings, type ServerSettings, settingTable } from "../generated/settings.ts";

/** Settings of an operator. The file, the environment and the command line can set them, but secrets only the environment. */
export interface Configuration extends ServerSettings, ProgramSettings {}

/** Generated facts of a setting. */
interface SettingFacts {
  /** Such as `QUERN_LIMITS_MAX_RUNNING_RUNS`. */
  readonly variable: string;
  readonly text: string;
  readonly unit?: string;
  readonly default?: string | number | boolean;
  /** Description of a default that is no value of the setting, such as `none`. */
  readonly defaultText?: string;
  readonly required?: boolean;
  /** True for a secret: only its variable can set it, and no command prints it. */
  readonly secret?: boolean;
  readonly schema: SchemaTable;
}

type SettingGroup = { readonly members: SettingTable };
type SettingTable = Readonly<Record<string, SettingFacts | SettingGroup>>;

export interface Setting extends SettingFacts {
  /** Such as `limits.maxRunningRuns`. */
  readonly name: string;
  readonly path: readonly string[];
}

export const settings: readonly Setting[] = settingsIn(settingTable, []);

function settingsIn(table: SettingTable, group: readonly string[]): readonly Setting[] {
  return Object.entries(table).flatMap(([name, entry]) => {
    const path = [...group, name];
    return "members" in entry ? settingsIn(entry.members, path) : [{ ...entry, path, name: path.join(".") }];
  });
}

/** JSON Schema of a {@link Configuration} without secrets. */
export const configurationSchema: SchemaTable = schemaOf(settingTable);

function schemaOf(table: SettingTable): SchemaTable {
  const entries = Object.entries(table).filter(([, entry]) => !("secret" in entry));
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, entry]) => [name, "members" in entry ? schemaOf(entry.members) : entry.schema]),
    ),
    required: entries.flatMap(([name, entry]) => ("required" in entry ? [name] : [])),
    additionalProperties: false,
  };
}

/**
 * Parses the text of a variable or flag. An invalid text is returned unchanged; the check of the configuration refuses
 * it.
 */
export function parseText({ schema: { type }, secret }: Setting, text: string): unknown {
  if (type === "integer" || type === "number")
    return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
  if (type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  if (Array.isArray(type)) return text.trimStart().startsWith("[") ? listOf(text) : text; // a list, or an address
  if (type === "object") return pairsOf(text);
  if (type === "array") return listOf(text);
  return secret === true ? text.replace(/[\r\n]+$/, "") : text; // a secret from a file often ends with a line break
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
  /** Configured value or default; a description of a default such as `none`; `hidden` for a secret. */
  readonly value: unknown;
  /** True if the configuration sets it. */
  readonly isSet: boolean;
  readonly unit: string | null;
  readonly text: string;
}

/** Lists every setting with its effective value. */
export function settingsInForce(configuration: Configuration): readonly SettingInForce[] {
  return settings.map(({ name, path, variable, unit = null, text, secret, ...setting }) => {
    const set = valueAt(configuration, path);
    const value = secret && set !== undefined ? "hidden" : set;
    return {
      name,
      variable,
      value: value ?? setting.defaultText ?? setting.default,
      isSet: set !== undefined,
      unit,
      text,
    };
  });
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return typeof value === "object" && value !== null ? valueAt(Reflect.get(value, name), rest) : undefined;
}
