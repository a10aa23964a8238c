import type { ErrorObject, OpenrpcDocument } from "@open-rpc/meta-schema";
import { suggestion } from "./faults.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { ErrorModel } from "./model.ts";
import { pascalCase } from "./names.ts";
import { pointerBelow } from "./pointer.ts";
import type { Reading } from "./reading.ts";
import { compact } from "./schema-reader.ts";

/** Members of an entry of `x-errors`, and their types. */
const extensionMembers = {
  description: "string",
  hint: "string",
  toolHint: "string",
  httpStatus: "number",
  data: "object",
} as const;

/**
 * Reads the declared errors of the document, by name. `x-errors` adds members that the error object of OpenRPC lacks.
 */
export function readErrors(
  document: OpenrpcDocument,
  reading: Reading,
  refused: ReadonlySet<string>,
): ReadonlyMap<string, ErrorModel> {
  const declared: Readonly<Record<string, ErrorObject>> = document.components?.errors ?? {};
  const extensions = readExtensions(document["x-errors"], Object.keys(declared), reading);
  return new Map(
    Object.entries(declared).flatMap(([name, error]) => {
      const pointer = pointerBelow("/components/errors", name);
      if (refused.has(pointer)) return [];
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
        const valid = pascalCase(name);
        reading.faults.report(
          pointer,
          `"${name}" cannot name an error; write it in PascalCase${valid && `: ${valid}`}`,
        );
        return [];
      }
      return [[name, readError(name, error, pointer, extensions[name] ?? {}, reading)]];
    }),
  );
}

function readExtensions(
  value: unknown,
  declared: readonly string[],
  { faults }: Reading,
): Readonly<Record<string, JsonObject>> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    faults.report("/x-errors", "must be an object; write each error by its name");
    return {};
  }
  const read = Object.entries(value).map(([name, entry]) => {
    const pointer = pointerBelow("/x-errors", name);
    if (!declared.includes(name))
      faults.report(pointer, `not an error of components/errors${suggestion(name, declared)}`);
    if (!isJsonObject(entry))
      faults.report(pointer, `must be an object; write its ${Object.keys(extensionMembers).join(", ")} as members`);
    const members = isJsonObject(entry) ? entry : {};
    for (const [member, content] of Object.entries(members)) {
      const type = Object.entries(extensionMembers).find(([known]) => known === member)?.[1];
      const below = pointerBelow(pointer, member);
      if (type === undefined)
        faults.report(below, `unknown member: "${member}"${suggestion(member, Object.keys(extensionMembers))}`);
      else if (typeof content !== type)
        faults.report(below, `must be of type ${type}, got ${JSON.stringify(content)}; correct or remove it`);
    }
    return [name, members] as const;
  });
  return Object.fromEntries(read);
}

function readError(
  name: string,
  error: ErrorObject,
  pointer: string,
  { description, hint, toolHint, httpStatus, data }: JsonObject,
  reading: Reading,
): ErrorModel {
  const dataPointer = pointerBelow("/x-errors", name, "data");
  return compact<ErrorModel>({
    name,
    pointer,
    code: error.code,
    message: error.message,
    description: typeof description === "string" ? description : error.message,
    hint: typeof hint === "string" ? hint : undefined,
    toolHint: typeof toolHint === "string" ? toolHint : undefined,
    httpStatus: typeof httpStatus === "number" ? httpStatus : undefined,
    data: data === undefined ? undefined : reading.nameSchema(data, dataPointer, `${name}Data`),
    dataExample: error.data === undefined ? undefined : { value: error.data },
  });
}

/** Names an error that a method defines inline: by its message, or by its code if the message makes no name. */
export function readInlineError(error: ErrorObject, pointer: string): ErrorModel {
  const name = pascalCase(error.message);
  return compact<ErrorModel>({
    name: /^[A-Z][A-Za-z0-9]*$/.test(name) ? name : `Error${Math.abs(error.code)}`,
    pointer,
    code: error.code,
    message: error.message,
    description: error.message,
    hint: undefined,
    toolHint: undefined,
    httpStatus: undefined,
    data: undefined,
    dataExample: error.data === undefined ? undefined : { value: error.data },
  });
}
