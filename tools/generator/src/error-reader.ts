import type { ErrorObject, OpenrpcDocument } from "@open-rpc/meta-schema";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { ErrorModel } from "./model.ts";
import { pascalCase } from "./names.ts";
import { pointerBelow } from "./pointer.ts";
import type { SchemaNames } from "./schema-names.ts";
import { compact } from "./schema-reader.ts";
import { SpecError } from "./spec-error.ts";

/**
 * The declared errors of the document, by name. What OpenRPC's error object cannot say of them stands in `x-errors`.
 */
export function readErrors(document: OpenrpcDocument, names: SchemaNames): ReadonlyMap<string, ErrorModel> {
  const declared: Readonly<Record<string, ErrorObject>> = document.components?.errors ?? {};
  const extension: unknown = document["x-errors"] ?? {};
  if (!isJsonObject(extension)) throw new SpecError("/x-errors", "must be an object by error name");
  const orphan = Object.keys(extension).find((name) => !Object.hasOwn(declared, name));
  if (orphan !== undefined)
    throw new SpecError(pointerBelow("/x-errors", orphan), "there is no such error in components/errors");
  return new Map(
    Object.entries(declared).map(([name, error]) => {
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
        throw new SpecError(pointerBelow("/components/errors", name), "write the name of an error in PascalCase");
      const more = extension[name] ?? {};
      const pointer = pointerBelow("/x-errors", name);
      if (!isJsonObject(more)) throw new SpecError(pointer, "must be an object");
      return [name, readError(name, error, pointerBelow("/components/errors", name), more, pointer, names)];
    }),
  );
}

function readError(
  name: string,
  error: ErrorObject,
  pointer: string,
  more: JsonObject,
  morePointer: string,
  names: SchemaNames,
): ErrorModel {
  const { description, hint, httpStatus, data } = more;
  return compact<ErrorModel>({
    name,
    pointer,
    code: error.code,
    message: error.message,
    description: typeof description === "string" ? description : error.message,
    hint: typeof hint === "string" ? hint : undefined,
    httpStatus: typeof httpStatus === "number" ? httpStatus : undefined,
    data: data === undefined ? undefined : names.name(data, pointerBelow(morePointer, "data"), `${name}Data`),
    dataExample: error.data === undefined ? undefined : { value: error.data },
  });
}

/** An error written into a method: named by its message, or by its code where the message makes no name. */
export function readInlineError(error: ErrorObject, pointer: string): ErrorModel {
  const name = pascalCase(error.message);
  return compact<ErrorModel>({
    name: /^[A-Z][A-Za-z0-9]*$/.test(name) ? name : `Error${Math.abs(error.code)}`,
    pointer,
    code: error.code,
    message: error.message,
    description: error.message,
    hint: undefined,
    httpStatus: undefined,
    data: undefined,
    dataExample: error.data === undefined ? undefined : { value: error.data },
  });
}
