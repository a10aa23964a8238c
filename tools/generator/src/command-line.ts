import type { Flag } from "./flags.ts";
import { isJsonObject } from "./json.ts";
import type { MethodModel } from "./model.ts";

/** Returns the command that makes the call of an example: `quern get-query-run --query-run-id run_8d41c7`. */
export function commandLine(method: MethodModel, flags: readonly Flag[], params: unknown): string {
  const parts = flags.flatMap((flag) => flagTexts(flag, valueAt(params, flag.path)));
  return ["quern", method.slug, ...parts].join(" ");
}

/** Returns the curl command that makes the call of an example. */
export function curlCommand(method: MethodModel, params: unknown): string {
  const body = JSON.stringify({ jsonrpc: "2.0", method: method.name, params: [params], id: 1 });
  return [
    'curl "$QUERN_URL/json-rpc" \\',
    "  --header 'content-type: application/json' \\",
    '  --header "x-api-key: $QUERN_API_KEY" \\',
    `  --data ${shellQuoted(body)}`,
  ].join("\n");
}

function flagTexts(flag: Flag, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const name = `--${flag.name}`;
  if (flag.kind === "map" && isJsonObject(value)) {
    return Object.entries(value).map(([key, text]) => `${name} ${shellQuoted(`${key}=${text ?? ""}`)}`);
  }
  // A list with an element that contains a comma or a bracket is written as JSON below.
  if (flag.kind === "list" && Array.isArray(value) && !value.some((element) => /[,[]/.test(String(element))))
    return [`${name} ${shellQuoted(value.join(","))}`];
  if (flag.kind === "boolean") return [value === true ? name : `--no-${flag.name}`];
  return [
    `${name} ${shellQuoted(typeof value === "string" && flag.kind === "string" ? value : JSON.stringify(value))}`,
  ];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, member) => (isJsonObject(current) ? current[member] : undefined), value);
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
