import type { Method } from "@quern/protocol/descriptor";
import { nearestWord } from "@quern/protocol/nearest-word";
import { type SchemaTable, validator } from "@quern/protocol/validator";
import { CallFailure } from "./service.ts";
import type { Tool } from "./tool.ts";

/** Params of the methods that a tool calls, by the name of the method. */
export type ParamsOf = (method: Method<object>) => Readonly<Record<string, unknown>>;

/** Member of `data.issues` of a service that refuses params. */
interface Issue {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Checks the arguments of a call, and returns the params of the methods that they stand for.
 * @throws {CallFailure} `InvalidArguments`, with one line for each wrong argument
 */
export function paramsOf(tool: Tool, given: unknown): ParamsOf {
  const values: unknown = given ?? {};
  const schema: SchemaTable = tool.inputSchema;
  const checked = validator<Readonly<Record<string, unknown>>>(schema)["~standard"].validate(values);
  if (checked.issues !== undefined)
    throw invalidArguments(
      checked.issues.map(({ message, path }) => {
        const name = (path ?? []).map(String).join(".");
        const isUnknown = message.startsWith("expected no such member");
        return isUnknown ? `unknown argument ${name}${suggestion(tool, name)}` : `${name}: ${message}`;
      }),
    );
  const rounded = roundedIntegers(checked.value, []);
  if (rounded.length > 0)
    throw invalidArguments(
      rounded.map((name) => `${name}: an integer beyond 2^53 - 1 loses digits as a JSON number; write it as text`),
    );
  return (method) => {
    const params: Record<string, unknown> = method === tool.method ? { ...tool.fixed } : {};
    for (const [name, target] of Object.entries(tool.params)) {
      const value = checked.value[name] ?? defaultOf(tool, name);
      if (target.method.name === method.name && value !== undefined) setMember(params, target.member, value);
    }
    return params;
  };
}

/** Converts the issues of a service, whose pointers name members of the params, to issues of arguments. */
export function argumentIssues(tool: Tool, data: unknown): readonly string[] {
  const { issues }: { readonly issues?: unknown } = Object(data);
  return (Array.isArray(issues) ? issues : []).map(({ pointer, expected, received }: Issue) => {
    const path = pointer.replace(/^\/params\/0/, "");
    const found = Object.entries(tool.params).find(([, { member }]) => `${path}/`.startsWith(`/${member.join("/")}/`));
    const name = found === undefined ? path : found[0] + path.slice(`/${found[1].member.join("/")}`.length);
    return `${name.replace(/^\//, "").replaceAll("/", ".")}: expected ${expected}, received ${received}`;
  });
}

/** Sets a member by its path, and creates the objects around it. */
export function setMember(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) object[name] = value;
  else {
    const inner: Record<string, unknown> = { ...Object(object[name]) };
    setMember(inner, rest, value);
    object[name] = inner;
  }
}

function defaultOf({ inputSchema }: Tool, name: string): unknown {
  return Object(Object(inputSchema.properties)[name]).default;
}

function invalidArguments(lines: readonly string[]): CallFailure {
  return new CallFailure(lines.join("\n"), { name: "InvalidArguments" });
}

function suggestion({ params }: Tool, name: string): string {
  const meant = nearestWord(name, Object.keys(params));
  return meant === undefined ? `; use ${Object.keys(params).join(", ")}` : `; did you mean ${meant}?`;
}

/** Returns the paths of integers whose digits the JSON parser of the MCP SDK may have rounded. */
function roundedIntegers(value: unknown, path: readonly string[]): readonly string[] {
  if (typeof value === "number") {
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
    return isRounded ? [path.join(".")] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => roundedIntegers(member, [...path, name]));
}
