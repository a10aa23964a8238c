import {
  defaultWords,
  type ServiceSetting,
  type SettingGroup,
  type SettingSchema,
  type SettingValue,
} from "../../service-settings.ts";
import { docComment } from "../../typescript/doc-comment.ts";
import type { Imports } from "../../typescript/imports.ts";
import { Code, literal } from "../../typescript/literal.ts";
import type { Member } from "../../typescript/statement.ts";

/** Returns a setting as a member of an interface, with its meaning, unit and default. */
export function settingMember(setting: SettingValue, imports: Imports): Member {
  const { name, path, text, unit, required, scope, schema } = setting;
  const type = typeOf(schema, imports);
  // Programs pass options on, which may be undefined.
  const isOption = path === name && scope !== "program";
  return {
    text: `readonly ${name}${required ? "" : "?"}: ${type}${isOption ? " | undefined" : ""};`,
    docs: docComment(
      [unit === undefined ? text : `${text} Unit: ${unit}.`],
      required ? [] : [`@default ${defaultWords(setting)}`],
      2,
    ),
  };
}

/** Returns the name of the interface of a group: `JwtClaimsOptions` for `jwt.claims`. */
export function groupType({ path }: SettingGroup): string {
  const words = path.split(".").map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`);
  return path === "limits" ? "ServerLimits" : `${words.join("")}Options`;
}

function typeOf({ title, type, enum: words, items, additionalProperties }: SettingSchema, imports: Imports): string {
  if (title !== undefined) return imports.type("@quern/adapter", title);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" | ");
  const single = (name: string): string => {
    if (name === "integer") return "number";
    if (name === "array") return `readonly ${typeOf(items ?? {}, imports)}[]`;
    return name === "object" ? `Readonly<Record<string, ${typeOf(additionalProperties ?? {}, imports)}>>` : name;
  };
  return [type ?? "unknown"].flat().map(single).join(" | ");
}

/** Returns the table of settings as a literal. The limits, which have a table of their own, are a reference to it. */
export function tableText(settings: readonly ServiceSetting[]): string {
  return literal(tableOf(settings));
}

function tableOf(settings: readonly ServiceSetting[]): object {
  const entry = (setting: ServiceSetting): object => {
    if (setting.path === "limits") return new Code("{ members: limitTable }");
    if ("members" in setting) return { members: tableOf(setting.members) };
    const { name: _name, path: _path, scope: _scope, guide: _guide, ...facts } = setting;
    return facts;
  };
  return Object.fromEntries(settings.map((setting) => [setting.name, entry(setting)]));
}
