import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { limitsName, settingsName } from "./output-file.ts";

/** Setting of the service, or a group of settings. */
export type ServiceSetting = SettingValue | SettingGroup;

interface Described {
  /** Name within the group. */
  readonly name: string;
  /** Name in the whole configuration, such as `limits.maxBatch`. */
  readonly path: string;
  readonly text: string;
}

/** Setting with a value, such as a limit. */
export interface SettingValue extends Described {
  /** Environment variable, such as `QUERN_LIMITS_MAX_BATCH`. */
  readonly variable: string;
  /** Unit of the value, such as `rows`. */
  readonly unit?: string;
  readonly default?: string | number | boolean;
  /** Description of a default that is no value of the setting, is computed, or differs between tenants. */
  readonly defaultText?: string;
  /** True if its group needs it. */
  readonly required?: boolean;
  /** True for a secret: only its variable and an option of the server can set it, and nothing prints it. */
  readonly secret?: boolean;
  /** User of the setting: the server, or the program that starts it, such as `quern serve`. @default "server" */
  readonly scope?: "program" | "server";
  /** Page and heading of `docs/guides` that explain the setting. */
  readonly guide?: string;
  /** JSON Schema of the value, which may have the keyword `patternText` of the validators. */
  readonly schema: SettingSchema;
}

export interface SettingGroup extends Described {
  readonly members: readonly ServiceSetting[];
}

export interface SettingSchema {
  /** Name of a type of `@quern/adapter`. */
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: SettingSchema;
  readonly additionalProperties?: SettingSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly patternText?: string;
}

/** Member of a document: a setting, a group, or a reference to the limits. */
type Node = Omit<SettingValue, "name" | "path" | "variable"> & {
  readonly members?: Readonly<Record<string, Node>>;
  readonly $ref?: string;
};

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/**
 * Absolute paths of the documents of settings. They are always those of this repository, even if the rest is generated
 * from another document.
 */
export const settingsFiles: readonly string[] = [settingsName, limitsName].map(pathOf);

/** Reads all settings; the group `limits` has those of the document of limits. */
export function readServiceSettings(): readonly ServiceSetting[] {
  const [{ settings }, { limits }] = settingsFiles.map((file) => JSON.parse(readFileSync(file, "utf8")));
  const read = (nodes: Readonly<Record<string, Node>>, group: readonly string[]): readonly ServiceSetting[] =>
    Object.entries(nodes).map(([name, { members, $ref, ...setting }]) => {
      const path = [...group, name];
      const described = { name, path: path.join("."), text: setting.text };
      const inner = $ref === undefined ? members : limits;
      return inner === undefined
        ? { ...described, variable: variableOf(path), ...setting }
        : { ...described, members: read(inner, path) };
    });
  return read(settings, []);
}

/** Returns the environment variable of a setting: `QUERN_LIMITS_MAX_BATCH` for `limits.maxBatch`. */
function variableOf(path: readonly string[]): string {
  return ["quern", ...path].map((part) => part.replaceAll(/[A-Z]/g, "_$&").toUpperCase()).join("_");
}

/** Returns the values of settings and of their groups. */
export function settingValues(settings: readonly ServiceSetting[]): readonly SettingValue[] {
  return settings.flatMap((setting) => ("members" in setting ? settingValues(setting.members) : [setting]));
}

/** Returns the settings without the limits, which have a document of their own, and the limits. */
export function withoutLimits(settings: readonly ServiceSetting[]) {
  const isLimit = ({ name }: ServiceSetting): boolean => name === "limits";
  return { settings: settings.filter((each) => !isLimit(each)), limits: settingValues(settings.filter(isLimit)) };
}

/** Returns the default in words, without its unit. */
export function defaultWords({ default: value, defaultText, unit }: SettingValue): string {
  return defaultText ?? (unit === undefined ? `\`${value}\`` : `${value?.toLocaleString("en")}`);
}
