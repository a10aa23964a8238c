import type { OpenrpcDocument } from "@open-rpc/meta-schema";
import metaSchema from "@open-rpc/spec/1_3/schema.json" with { type: "json" };
import { Ajv, type ErrorObject as Fault, type ValidateFunction } from "ajv";
import type { JsonObject } from "./json.ts";
import { SpecError } from "./spec-error.ts";

/**
 * The value of an OpenRPC document that is valid by the specification's own JSON Schema; its references stand as
 * written.
 * @throws SpecError that points to the first thing that is wrong
 */
export function parseSpecDocument(text: string, file: string): OpenrpcDocument {
  const document = parse(text, file);
  validateDocument(document);
  // The meta-schema has just said so.
  return document as OpenrpcDocument;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SpecError("", `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

let validate: ValidateFunction | undefined;

function validateDocument(document: unknown): void {
  const options = { strict: false, validateFormats: false, allErrors: true, code: { optimize: false } };
  validate ??= new Ajv(options).compile(openRpcSchema());
  if (validate(document)) return;
  const fault = deepest(validate.errors ?? []);
  throw new SpecError(fault?.instancePath ?? "", `not OpenRPC 1.3: ${fault?.message ?? "invalid"}${detail(fault)}`);
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

/** Of all alternatives that failed, the one that got furthest into the document says most. */
function deepest(faults: readonly Fault[]): Fault | undefined {
  const depth = (fault: Fault) => fault.instancePath.split("/").length;
  return faults.filter((fault) => fault.keyword !== "oneOf").toSorted((one, other) => depth(other) - depth(one))[0];
}

function detail(fault: Fault | undefined): string {
  const params: JsonObject = fault?.params ?? {};
  const value = params.allowedValues ?? params.additionalProperty;
  return value === undefined ? "" : ` (${Array.isArray(value) ? value.join(", ") : String(value)})`;
}
