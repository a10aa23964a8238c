import { isObject } from "@quern/json-rpc/envelope";
import { nearestWord } from "@quern/protocol/nearest-word";
import { validator } from "@quern/protocol/validator";
import { checkResultsAddress, checkSourcesAddress, checkStoreAddress } from "../adapters/storage-options.ts";
import { checkSourceAddress } from "../sources/address.ts";
import { type Configuration, configurationSchema, parseText, type Setting, settings } from "./settings.ts";

/** Sources of the configuration, in ascending order of precedence. */
export interface ConfigurationParts {
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings of the command line by name, such as `limits.maxRunningRuns`. */
  readonly flags: Readonly<Record<string, string>>;
}

/** Invalid configuration. The message names the invalid settings and the expected values, in one line. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const schema = validator<Configuration>(configurationSchema);
/** Settings that the file and the command line can set. */
const openSettings = settings.filter(({ secret }) => !secret);
/** Prefix of the variables of Quern. An unknown variable with it is an error, because it may be a misspelt setting. */
const prefix = "QUERN_";

/** Variables that are no settings: of the CLI, of the test helpers that start a mock, and of the tests of Quern. */
const otherVariables = ["QUERN_CONFIG", "QUERN_DEBUG", "QUERN_URL", "QUERN_MOCK", "QUERN_MOCK_URL", "QUERN_SEED"];

/**
 * Merges and checks the configuration: the command line overrides the environment, which overrides the file.
 * @throws {ConfigurationError} if the file is not a JSON object, a setting is unknown or invalid, or a variable that
 * begins with `QUERN_` is unknown
 */
export function readConfiguration({ file, env, flags }: ConfigurationParts): Configuration {
  const merged = file === undefined ? {} : parseFile(file);
  const secrets: Record<string, unknown> = {};
  const origins = new Map<string, string>();
  const apply = (setting: Setting, text: string, origin: string): void => {
    setAt(setting.secret ? secrets : merged, setting.path, parseText(setting, text));
    origins.set(`/${setting.path.join("/")}`, origin);
  };
  for (const [variable, text] of Object.entries(env)) {
    const setting = settings.find((each) => each.variable === variable);
    if (setting !== undefined && text) apply(setting, text, variable);
    else if (setting === undefined && variable.startsWith(prefix) && !otherVariables.includes(variable))
      throw new ConfigurationError(`unknown variable ${variable}; ${variableAdvice(variable)}`);
  }
  for (const [name, text] of Object.entries(flags)) {
    const setting = openSettings.find((each) => each.name === name);
    if (setting === undefined) throw new ConfigurationError(`unknown setting ${name}; ${settingAdvice(name)}`);
    apply(setting, text, `--set ${name}`);
  }
  const { value, issues } = { value: undefined, ...schema["~standard"].validate(merged) };
  if (value !== undefined) return { ...checkAddresses(value), ...secrets };
  const problems = issues.map(({ pointer, expected, received }) => {
    const advice = expected === "no such member" ? nearestSetting(pointer) : "";
    const got = isShown(pointer, expected) ? `, received ${withoutPasswords(received)}` : "";
    const origin = [...origins].find(([path]) => pointer === path || pointer.startsWith(`${path}/`))?.[1] ?? file?.name;
    return `${pointer || "/"}${origin === undefined ? "" : ` (${origin})`}: expected ${expected}${got}${advice}`;
  });
  throw new ConfigurationError(problems.join("; "));
}

/** Returns false for a value that may be a secret: that of an unknown member, or of one that is named like a secret. */
function isShown(pointer: string, expected: string): boolean {
  return expected !== "no such member" && !/password|secret|token|key|credential/i.test(pointer);
}

/** Replaces the password of an address: `postgres://user:password@host`. */
function withoutPasswords(text: string): string {
  return text.replaceAll(/(\w:[^\s:]*):[^\s@]*@/g, "$1:…@");
}

/** @throws {ConfigurationError} if an address is invalid or contains a password, which `quern configuration` would print */
function checkAddresses(configuration: Configuration): Configuration {
  const { store, results, sources } = configuration;
  try {
    if (store !== undefined) checkStoreAddress(store);
    if (results !== undefined) checkResultsAddress(results);
    if (typeof sources === "string") checkSourcesAddress(sources);
    else
      for (const { name, address, kind = "duckdb" } of sources ?? [])
        if (address !== undefined) checkSourceAddress(name, address, kind);
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error));
  }
  return configuration;
}

function parseFile({ name, text }: { readonly name: string; readonly text: string }): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The message may quote the text around the error, such as a password.
    throw new ConfigurationError(
      `${name} is not JSON: ${reason.replace(/,? (\.\.\.)?".*"(\.\.\.)? is not valid JSON/s, "")}`,
    );
  }
  if (isObject(value)) return value;
  throw new ConfigurationError(`${name}: expected a JSON object`);
}

function setAt(target: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const group = isObject(inner) ? inner : {};
  target[name] = group;
  setAt(group, rest, value);
}

/** Returns a hint with the setting of the same group that an unknown member may mean; an empty text without one. */
function nearestSetting(pointer: string): string {
  const at = pointer.lastIndexOf("/");
  const group = pointer.slice(0, at).slice(1);
  const siblings = openSettings.filter(({ path }) => path.slice(0, -1).join("/") === group);
  const nearest = nearestWord(
    pointer.slice(at + 1),
    siblings.map(({ path }) => path.at(-1) ?? ""),
  );
  return nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
}

function settingAdvice(name: string): string {
  return advice(
    nearestWord(
      name,
      openSettings.map((setting) => setting.name),
    ),
    "settings",
  );
}

function variableAdvice(variable: string): string {
  const names = [...settings.map((setting) => setting.variable), ...otherVariables];
  // Without the prefix, which all names have in common.
  const nearest = nearestWord(
    variable.slice(prefix.length),
    names.map((name) => name.slice(prefix.length)),
  );
  return advice(nearest && `${prefix}${nearest}`, "variables");
}

function advice(nearest: string | undefined, all: "settings" | "variables"): string {
  return nearest === undefined ? `\`quern configuration\` lists the ${all}` : `did you mean ${nearest}?`;
}
