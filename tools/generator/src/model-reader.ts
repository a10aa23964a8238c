import type { OpenrpcDocument } from "@open-rpc/meta-schema";
import { readErrors } from "./error-reader.ts";
import { isJsonObject, textMembers } from "./json.ts";
import { readMethod } from "./method-reader.ts";
import type { MethodModel, Model, NamedSchema, SchemaNode } from "./model.ts";
import { pascalCase } from "./names.ts";
import { pointerBelow } from "./pointer.ts";
import { childSchemas } from "./schema-children.ts";
import type { SchemaNames } from "./schema-names.ts";
import { readSchema } from "./schema-reader.ts";
import { SpecError } from "./spec-error.ts";

/**
 * Turns a valid document into the model the targets read.
 * @throws SpecError that points to what cannot be generated from
 */
export function readModel(document: OpenrpcDocument): Model {
  const schemas = new Map<string, SchemaNode>();
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    addSchema(schemas, name, readSchema(schema, pointerBelow("/components/schemas", name)));
  }
  const names: SchemaNames = {
    name(value, pointer, fallback) {
      const schema = readSchema(value, pointer);
      if (schema.reference !== undefined) return schema.reference;
      addSchema(schemas, fallback, schema);
      return fallback;
    },
  };
  const errors = readErrors(document, names);
  const methods = document.methods.map((method, index) =>
    readMethod(method, pointerBelow("/methods", index), errors, names),
  );
  const named = [...schemas].map(([name, schema]): NamedSchema => ({ name, schema }));
  checkReferences(named);
  checkMethodNames(methods);
  return {
    title: document.info.title,
    version: document.info.version,
    description: document.info.description ?? "",
    schemas: named,
    errors: [
      ...new Map(
        [...errors.values(), ...methods.flatMap((method) => method.errors)].map((error) => [error.name, error]),
      ).values(),
    ],
    methods,
    knownErrorCodes: readKnownErrorCodes(document["x-known-error-codes"]),
  };
}

function addSchema(schemas: Map<string, SchemaNode>, name: string, schema: SchemaNode): void {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
    throw new SpecError(schema.pointer, `"${name}" cannot name a type; write it in PascalCase`);
  const other = schemas.get(name);
  if (other !== undefined)
    throw new SpecError(schema.pointer, `the name ${name} is already taken by #${other.pointer}`);
  schemas.set(name, schema);
}

function checkReferences(schemas: readonly NamedSchema[]): void {
  const names = new Set(schemas.map(({ name }) => name));
  const visit = (schema: SchemaNode): void => {
    if (schema.reference !== undefined && !names.has(schema.reference)) {
      throw new SpecError(pointerBelow(schema.pointer, "$ref"), `there is no schema ${schema.reference}`);
    }
    for (const child of childSchemas(schema)) visit(child);
  };
  for (const { schema } of schemas) visit(schema);
}

function checkMethodNames(methods: readonly MethodModel[]): void {
  const taken = new Map<string, MethodModel>();
  for (const method of methods) {
    for (const name of new Set([method.identifier, method.slug])) {
      const other = taken.get(name);
      if (other !== undefined)
        throw new SpecError(
          method.pointer,
          `the method ${method.name} would be named ${name}, like ${other.name} at #${other.pointer}`,
        );
      taken.set(name, method);
    }
  }
}

function readKnownErrorCodes(value: unknown): ReadonlyMap<number, string> {
  if (value !== undefined && !isJsonObject(value))
    throw new SpecError("/x-known-error-codes", "must be an object of names by code");
  return new Map(Object.entries(textMembers(value)).map(([code, name]) => [Number(code), pascalCase(name)]));
}
