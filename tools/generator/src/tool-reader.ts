import { reportUnknown } from "./extension-reader.ts";
import type { Faults } from "./faults.ts";
import { isJsonObject, isStringArray, type JsonObject } from "./json.ts";
import type { MemberPath, ToolHint, ToolModel, ToolParam } from "./model.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";
import { compact } from "./schema-reader.ts";

const members = ["name", "title", "description", "hints", "params", "fixed", "result", "omit", "size", "link"];
const hints: readonly ToolHint[] = ["readOnly", "destructive", "openWorld"];
const paramMembers = ["method", "member", "required", "description", "listMembers", "default", "minimum", "maximum"];

/** Reads `x-tool`: the tool that a language model calls, its arguments, and the members of its output. */
export function readTool(value: unknown, pointer: string, faults: Faults): ToolModel | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    faults.report(pointer, `must be an object; write ${members.join(", ")} as its members`);
    return undefined;
  }
  reportUnknown(value, members, pointer, faults);
  const at = (member: string) => pointerBelow(pointer, member);
  const { omit = [] } = value;
  if (!isStringArray(omit)) faults.report(at("omit"), "must be a list of JSON pointers into the output");
  return compact<ToolModel>({
    pointer,
    name: readName(value.name, at("name"), faults),
    title: readText(value, "title", pointer, faults),
    description: readText(value, "description", pointer, faults),
    hints: readHints(value.hints, at("hints"), faults),
    params: objectOf(value.params, at("params"), faults).map(([name, param]) =>
      readParam(name, param, pointerBelow(at("params"), name), faults),
    ),
    fixed: Object.fromEntries(objectOf(value.fixed ?? {}, at("fixed"), faults)),
    result: readResult(value.result, at("result"), faults),
    omit: isStringArray(omit) ? omit.map(pointerSegments) : [],
    size: value.size === undefined ? undefined : readPath(value.size, at("size"), faults),
    link: typeof value.link === "string" ? value.link : undefined,
  });
}

function readName(value: unknown, pointer: string, faults: Faults): string {
  if (typeof value === "string" && /^[a-z][a-z0-9_]{0,63}$/.test(value)) return value;
  faults.report(
    pointer,
    `must be a name of lower-case letters, digits and _, such as read_rows, got ${JSON.stringify(value)}`,
  );
  return "";
}

function readText(value: JsonObject, member: string, pointer: string, faults: Faults): string {
  const text = value[member];
  if (typeof text === "string" && text !== "") return text;
  faults.report(pointerBelow(pointer, member), "missing text; a language model chooses a tool by its texts");
  return "";
}

function readHints(value: unknown, pointer: string, faults: Faults): ToolModel["hints"] {
  const given = isJsonObject(value) ? value : {};
  reportUnknown(given, hints, pointer, faults);
  for (const name of hints)
    if (typeof given[name] !== "boolean")
      faults.report(pointerBelow(pointer, name), "must be true or false: clients reject a tool that lacks a hint");
  const { readOnly, destructive, openWorld } = given;
  return { readOnly: readOnly === true, destructive: destructive === true, openWorld: openWorld === true };
}

function readParam(name: string, value: unknown, pointer: string, faults: Faults): ToolParam {
  const given = isJsonObject(value) ? value : {};
  reportUnknown(given, paramMembers, pointer, faults);
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) faults.report(pointer, `"${name}" must be a name in camelCase`);
  const { method, description, listMembers = true, minimum, maximum } = given;
  if (typeof listMembers !== "boolean") faults.report(pointerBelow(pointer, "listMembers"), "must be true or false");
  return compact<ToolParam>({
    name,
    pointer,
    method: typeof method === "string" ? method : undefined,
    member: readPath(given.member, pointerBelow(pointer, "member"), faults),
    required: given.required === true ? true : undefined,
    description: typeof description === "string" ? description : undefined,
    listMembers: listMembers === false ? false : undefined,
    default: "default" in given ? { value: given.default } : undefined,
    minimum: typeof minimum === "number" ? minimum : undefined,
    maximum: typeof maximum === "number" ? maximum : undefined,
  });
}

function readResult(value: unknown, pointer: string, faults: Faults): ToolModel["result"] {
  if (value === "rows") return value;
  if (typeof value === "string" || value === undefined)
    faults.report(pointer, 'must be "rows", or an object of JSON pointers into the result by member of the output');
  const entries = typeof value === "object" ? objectOf(value, pointer, faults) : [];
  return Object.fromEntries(entries.map(([name, path]) => [name, readPath(path, pointerBelow(pointer, name), faults)]));
}

function readPath(value: unknown, pointer: string, faults: Faults): MemberPath {
  if (typeof value === "string" && value.startsWith("/")) return pointerSegments(value);
  faults.report(pointer, `must be a JSON pointer that begins with /, got ${JSON.stringify(value)}`);
  return [];
}

function objectOf(value: unknown, pointer: string, faults: Faults): readonly (readonly [string, unknown])[] {
  if (isJsonObject(value)) return Object.entries(value);
  faults.report(pointer, `must be an object, got ${JSON.stringify(value)}`);
  return [];
}
