import { validator } from "@quern/protocol/validator";
import { nearestName } from "../common/nearest-name.ts";
import { type Setting, settings } from "./setting.ts";
import { type Configuration, configurationTable } from "./table.ts";

/** What an operator has set, from the weakest to the strongest. */
export interface ConfigurationParts {
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the command line, by their names such as `limits.maxRunningRuns`. */
  readonly flags: Readonly<Record<string, string>>;
}

/** The operator has set something that cannot be; the message has a line for each such thing. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const schema = validator<Configuration>(configurationTable);
/** Variables of these beginnings are the service's alone, so that a misspelt one is noticed. */
const ownPrefixes = ["QUERN_LIMITS_", "QUERN_JWT_"];

/** The command line over the environment over the file. @throws {ConfigurationError} */
export function readConfiguration({ file, env, flags }: ConfigurationParts): Configuration {
  const merged = file === undefined ? {} : parseFile(file);
  const origins = new Map<string, string>();
  const lay = (setting: Setting, text: string, origin: string): void => {
    place(merged, setting.path, setting.parse(text));
    origins.set(`/${setting.path.join("/")}`, origin);
  };
  for (const [variable, text] of Object.entries(env)) {
    const setting = settings.find((each) => each.variable === variable);
    if (setting !== undefined && text) lay(setting, text, variable);
    else if (setting === undefined && ownPrefixes.some((prefix) => variable.startsWith(prefix)))
      throw new ConfigurationError(`${variable} sets nothing; ${isIt(variable, "variable")}`);
  }
  for (const [name, text] of Object.entries(flags)) {
    const setting = settings.find((each) => each.name === name);
    if (setting === undefined) throw new ConfigurationError(`there is no setting ${name}; ${isIt(name, "name")}`);
    lay(setting, text, `--set ${name}`);
  }
  const { value, issues } = { value: undefined, ...schema["~standard"].validate(merged) };
  if (value !== undefined) return value;
  const lines = issues.map(({ pointer, expected, received }) => {
    const origin = [...origins].find(([path]) => pointer === path || pointer.startsWith(`${path}/`))?.[1] ?? file?.name;
    return `${pointer || "/"}${origin === undefined ? "" : ` (${origin})`}: expected ${expected}, received ${received}`;
  });
  throw new ConfigurationError(lines.join("\n"));
}

function parseFile({ name, text }: { readonly name: string; readonly text: string }): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`${name} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (isObject(value)) return value;
  throw new ConfigurationError(`${name}: expected an object`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function place(target: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const group = isObject(inner) ? inner : {};
  target[name] = group;
  place(group, rest, value);
}

function isIt(text: string, by: "name" | "variable"): string {
  const names = settings.map((setting) => setting[by]);
  return `is it ${nearestName(text, names) ?? names[0]}?`;
}
