import { nearestWord } from "@quern/protocol/nearest-word";
import { parse, TomlError } from "smol-toml";
import { UsageError } from "../errors/cli-error.ts";
import { keyMembers, memberRules, type Profile } from "./profile.ts";
import { tableAt, tomlTables } from "./toml-lines.ts";

/** Profiles of a configuration file. */
export interface Config {
  readonly defaultProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const memberNames = Object.keys(memberRules);

/** Parses a configuration file. @throws {UsageError} An error names the line and what is expected, and never a value: it may be a key. */
export function parseConfig(text: string, path: string): Config {
  const tables = tomlTables(text.split("\n"));
  const { default_profile: defaultProfile, profiles = {}, ...others } = parsed(text, path);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) fail(unknownText(unknown, ["default_profile", "profiles"]), [], unknown);
  if (defaultProfile !== undefined && (typeof defaultProfile !== "string" || defaultProfile === ""))
    fail("invalid default_profile: expected the name of a profile, in quotes", [], "default_profile");
  if (!isTable(profiles)) fail("invalid profiles: expected tables such as [profiles.production]", [], "profiles");
  const checked = Object.entries(profiles).map(([name, members]) => [name, profileOf(name, members)] as const);
  return { defaultProfile, profiles: new Map(checked) };

  function profileOf(name: string, members: unknown): Profile {
    const place = ["profiles", name];
    if (!isTable(members)) return fail(`invalid profile ${name}: expected a table such as [profiles.${name}]`, place);
    for (const [key, value] of Object.entries(members)) {
      if (!isMember(key)) fail(unknownText(key, memberNames), place, key);
      const { accepts, expected } = memberRules[key];
      if (!accepts(value)) fail(`invalid ${key}: expected ${expected}`, place, key);
    }
    const profile: Profile = members; // each member has the type of its rule
    const keys = keyMembers.filter((member) => profile[member] !== undefined && profile[member] !== false);
    const [first, second] = keys;
    if (second !== undefined) fail(`profile ${name} has ${first} and ${second}; keep one of them`, place, second);
    return profile;
  }

  function fail(message: string, place: readonly string[], key?: string): never {
    const table = tableAt(tables, place);
    const line = table?.entries.find((entry) => entry.key === key)?.from ?? table?.from ?? -1;
    throw new UsageError(`invalid ${path}${line < 0 ? "" : `, line ${line + 1}`}: ${message}`);
  }
}

/** @throws {UsageError} The text is not TOML. */
function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines after the first one quote the document, which may have a key.
    const [reason = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new UsageError(`invalid ${path}, line ${error.line}: the file is not TOML: ${reason}`);
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isMember(key: string): key is keyof Profile {
  return Object.hasOwn(memberRules, key);
}

function unknownText(key: string, names: readonly string[]): string {
  const nearest = nearestWord(key, names);
  const advice = nearest === undefined ? `use one of ${names.join(", ")}` : `did you mean ${nearest}?`;
  return `unknown member: ${key}; ${advice}`;
}
