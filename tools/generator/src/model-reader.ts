import { readErrors } from "./error-reader.ts";
import { type Faults, suggestion } from "./faults.ts";
import { isJsonObject } from "./json.ts";
import { readMethod } from "./method-reader.ts";
import type { ErrorModel, Model, SchemaNode } from "./model.ts";
import { pascalCase } from "./names.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";
import type { Reading, Section } from "./reading.ts";
import { endlessReferences } from "./reference-cycles.ts";
import { readSchema } from "./schema-reader.ts";
import type { SpecDocument } from "./spec-document.ts";

/** Converts a document to the model that the targets read. Reports contents that cannot be generated from. */
export function readModel({ value: document, refused }: SpecDocument, faults: Faults): Model {
  const schemas = new Map<string, SchemaNode>();
  const reading = createReading(document.components ?? {}, schemas, faults);
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    addSchema(schemas, name, readSchema(schema, pointerBelow("/components/schemas", name), reading), faults);
  const errors = readErrors(document, reading, refused);
  const methods = document.methods.flatMap((method, index) => {
    const pointer = pointerBelow("/methods", index);
    const read = refused.has(pointer) ? undefined : readMethod(method, pointer, errors, reading);
    return read ?? [];
  });
  if (document.methods.length === 0) faults.report("/methods", "missing methods; describe at least one");
  return {
    title: document.info.title,
    version: document.info.version,
    description: document.info.description ?? "",
    schemas: [...schemas].map(([name, schema]) => ({ name, schema })),
    errors: distinctErrors([...errors.values(), ...methods.flatMap((method) => method.errors)], faults),
    methods,
    knownErrorCodes: readKnownErrorCodes(document["x-known-error-codes"], faults),
  };
}

function createReading(components: object, schemas: Map<string, SchemaNode>, faults: Faults): Reading {
  const sections = new Map(Object.entries(components));
  const section = (name: Section) => {
    const value: unknown = sections.get(name);
    return isJsonObject(value) ? value : {};
  };
  const endless = endlessReferences(section("schemas"), faults);
  const reading: Reading = {
    faults,
    reference(reference, of, pointer) {
      const prefix = `#/components/${of}/`;
      if (typeof reference !== "string" || !reference.startsWith(prefix)) {
        faults.report(pointer, `a reference must begin with ${prefix}, got ${JSON.stringify(reference)}`);
        return undefined;
      }
      const name = pointerSegments(reference.slice(prefix.length - 1)).join("/");
      if (Object.hasOwn(section(of), name)) return name;
      faults.report(pointer, `unknown ${of.slice(0, -1)}: ${name}${suggestion(name, Object.keys(section(of)))}`);
      return undefined;
    },
    isEndless: (pointer) => endless.has(pointer),
    nameSchema(value, pointer, fallback) {
      const schema = readSchema(value, pointer, reading);
      if (schema.reference !== undefined) return schema.reference;
      const isFree = addSchema(schemas, fallback, schema, faults);
      if (!isFree) schemas.set(fallback + pascalCase(pointer), schema);
      return isFree ? fallback : fallback + pascalCase(pointer);
    },
  };
  return reading;
}

/** Adds a named schema. Returns false if the name is in use. */
function addSchema(schemas: Map<string, SchemaNode>, name: string, schema: SchemaNode, faults: Faults): boolean {
  const other = schemas.get(name);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    const valid = pascalCase(name);
    faults.report(schema.pointer, `"${name}" cannot name a type; write it in PascalCase${valid && `: ${valid}`}`);
    // Methods of the same name are reported by the name check.
  } else if (other !== undefined && !other.pointer.startsWith("/methods/"))
    faults.report(
      schema.pointer,
      `the name ${name} is already in use by #${other.pointer}; rename that one, or refer to it here`,
    );
  if (other === undefined) schemas.set(name, schema);
  return other === undefined;
}

/** Merges equal errors that several methods define inline. Reports errors that share a name or a code. */
function distinctErrors(errors: readonly ErrorModel[], faults: Faults): readonly ErrorModel[] {
  const byName = new Map<string, ErrorModel>();
  for (const error of errors) {
    const other = byName.get(error.name);
    if (other === undefined) byName.set(error.name, error);
    else if (other.code !== error.code)
      faults.report(
        error.pointer,
        `the error is named ${error.name} by its message, like #${other.pointer} with code ${other.code}; give each code a message of its own`,
      );
  }
  const byCode = new Map<number, ErrorModel>();
  for (const error of byName.values()) {
    const other = byCode.get(error.code);
    if (other === undefined) byCode.set(error.code, error);
    else
      faults.report(
        error.pointer,
        `the code ${error.code} of ${error.name} is already that of ${other.name} at #${other.pointer}; give each error a code of its own`,
      );
  }
  return [...byName.values()];
}

function readKnownErrorCodes(value: unknown, faults: Faults): ReadonlyMap<number, string> {
  const pointer = "/x-known-error-codes";
  if (value !== undefined && !isJsonObject(value))
    faults.report(pointer, "must be an object; write the name of each error by its code");
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return new Map(
    entries.flatMap(([code, name]) => {
      if (/^-?\d+$/.test(code) && typeof name === "string") return [[Number(code), pascalCase(name)]];
      faults.report(pointerBelow(pointer, code), "must be the name of an error by its code, a whole number");
      return [];
    }),
  );
}
