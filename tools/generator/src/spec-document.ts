import type { OpenrpcDocument } from "@open-rpc/meta-schema";
import metaSchema from "@open-rpc/spec/1_3/schema.json" with { type: "json" };
import { Ajv, type ErrorObject as Fault, type ValidateFunction } from "ajv";
import { type AjvFault, readableFaults } from "./ajv-faults.ts";
import type { Faults } from "./faults.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { parseSource } from "./json-source.ts";

/** A document as far as it can be read. */
export interface SpecDocument {
  readonly value: OpenrpcDocument;
  /** Methods and errors that OpenRPC's own schema refuses, as pointers; the rest is read for further faults. */
  readonly refused: ReadonlySet<string>;
}

/** Parses a document and validates it by the specification's own JSON Schema; references stand as written. */
export function parseSpecDocument(text: string, file: string, faults: Faults): SpecDocument | undefined {
  const value = parseSource(text, file, faults);
  if (value === undefined) return undefined;
  const found = faultsIn(value);
  for (const { pointer, message } of found) faults.refuse(pointer, `not OpenRPC 1.3: ${message}`);
  if (!hasParts(value)) return undefined;
  const refused = found.map(({ pointer }) => /^\/(methods\/\d+|components\/errors\/[^/]+)/.exec(pointer)?.[0] ?? "");
  // The parts that are not refused are valid by the meta-schema.
  return { value: value as OpenrpcDocument, refused: new Set(refused) };
}

/** Returns true if the parts of the document are objects and lists as expected, whatever is wrong inside. */
function hasParts(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value.info) || !Array.isArray(value.methods)) return false;
  const { components = {} } = value;
  return isJsonObject(components) && Object.values(components).every(isJsonObject);
}

let validate: ValidateFunction | undefined;

function faultsIn(document: unknown): readonly AjvFault[] {
  const options = { strict: false, validateFormats: false, allErrors: true, verbose: true, code: { optimize: false } };
  validate ??= new Ajv(options).compile(openRpcSchema());
  if (validate(document)) return [];
  const errors = (validate.errors ?? []).filter((fault) => !isReferenceBranch(fault));
  return readableFaults(errors);
}

/** Returns true for a fault of the alternative `$ref` where the value is written in place. */
function isReferenceBranch({ parentSchema, data }: Fault): boolean {
  return parentSchema?.title === "referenceObject" && !(isJsonObject(data) && "$ref" in data);
}

/** OpenRPC's meta-schema, with draft-07 as ajv has it on board in place of json-schema.tools' edition. */
function openRpcSchema(): JsonObject {
  const { $schema: _, ...schema } = metaSchema;
  const draft07 = "http://json-schema.org/draft-07/schema#";
  const text = JSON.stringify(schema)
    .replaceAll("https://meta.json-schema.tools/#/definitions/JSONSchemaObject", draft07)
    .replaceAll('"https://meta.json-schema.tools"', `"${draft07}"`);
  return JSON.parse(text);
}
