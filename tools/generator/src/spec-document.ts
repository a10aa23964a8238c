import type { OpenrpcDocument } from "@open-rpc/meta-schema";
import metaSchema from "@open-rpc/spec/1_3/schema.json" with { type: "json" };
import { Ajv, type ErrorObject as Fault, type ValidateFunction } from "ajv";
import { type AjvFault, readableFaults } from "./ajv-faults.ts";
import type { Faults } from "./faults.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { parseSource } from "./json-source.ts";

/** Document, as far as it can be read. */
export interface SpecDocument {
  readonly value: OpenrpcDocument;
  /** Pointers of methods and errors that OpenRPC's JSON Schema refuses. The rest is read for further faults. */
  readonly refused: ReadonlySet<string>;
}

/** Parses a document and validates it by the JSON Schema of OpenRPC. References are not resolved. */
export function parseSpecDocument(text: string, file: string, faults: Faults): SpecDocument | undefined {
  const value = parseSource(text, file, faults);
  if (value === undefined) return undefined;
  const found = faultsIn(value);
  for (const { pointer, message } of found) faults.refuse(pointer, `not OpenRPC 1.3: ${message}`);
  if (!hasParts(value)) return undefined;
  const refused = found.map(({ pointer }) => /^\/(methods\/\d+|components\/errors\/[^/]+)/.exec(pointer)?.[0] ?? "");
  // Methods and errors outside of `refused` are valid. Of the other parts, the readers need only what `hasParts` checks.
  return { value: value as OpenrpcDocument, refused: new Set(refused) };
}

/** Returns true if the parts of the document are objects and lists as expected, whatever their contents. */
function hasParts(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value.info) || !Array.isArray(value.methods)) return false;
  const { components = {} } = value;
  return isJsonObject(components) && Object.values(components).every(isJsonObject);
}

let validate: ValidateFunction | undefined;

function faultsIn(document: unknown): readonly AjvFault[] {
  const options = { strict: false, validateFormats: false, allErrors: true, verbose: true, code: { optimize: false } };
  validate ??= new Ajv({ ...options, ownProperties: true }).compile(openRpcSchema());
  if (validate(document)) return [];
  const errors = (validate.errors ?? []).filter((fault) => !isReferenceBranch(fault));
  return readableFaults(errors);
}

/** Returns true for the fault of the alternative `$ref` if the value is inline. */
function isReferenceBranch({ parentSchema, data }: Fault): boolean {
  return parentSchema?.title === "referenceObject" && !(isJsonObject(data) && "$ref" in data);
}

/** Returns OpenRPC's meta-schema, with ajv's draft-07 in place of the edition of json-schema.tools. */
function openRpcSchema(): JsonObject {
  const { $schema: _, ...schema } = metaSchema;
  const draft07 = "http://json-schema.org/draft-07/schema#";
  const text = JSON.stringify(schema)
    .replaceAll("https://meta.json-schema.tools/#/definitions/JSONSchemaObject", draft07)
    .replaceAll('"https://meta.json-schema.tools"', `"${draft07}"`);
  return JSON.parse(text);
}
