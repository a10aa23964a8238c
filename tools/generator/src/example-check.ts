import { Ajv, type ValidateFunction } from "ajv";
import { isDateTime } from "../../../packages/protocol/src/json-value.ts";
import { readableFaults } from "./ajv-faults.ts";
import type { Faults } from "./faults.ts";
import type { MethodModel, Model, SchemaNode } from "./model.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";
import { leastParams, sampleOf } from "./sample.ts";
import { childSchemas, schemaNamed } from "./schema-lookup.ts";

/**
 * Validates every example, default and enumerated value by its schema, because the reference shows them, the mock
 * returns them, and the corpus sends them.
 */
export function checkExamples(document: object, model: Model, faults: Faults): void {
  const ajv = new Ajv({
    strict: false,
    validateSchema: false,
    inlineRefs: false,
    allErrors: true,
    verbose: true,
    // Members such as `toString` are inherited by every object.
    ownProperties: true,
    formats: { "date-time": isDateTime },
    logger: false,
    code: { optimize: false },
  });
  ajv.addSchema(document, "document");
  for (const { schema } of model.schemas) checkSchema(schema);
  for (const method of model.methods) checkMethod(method);
  for (const error of model.errors)
    if (error.data !== undefined && error.dataExample !== undefined)
      checkValue(schemaNamed(model, error.data), error.dataExample.value, `${error.pointer}/data`, "example");

  function checkMethod(method: MethodModel): void {
    const [params, result] = [schemaNamed(model, method.params), schemaNamed(model, method.result)];
    for (const { pointer, params: given, result: answer } of method.examples) {
      checkValue(params, given, `${pointer}/params/0/value`, "example");
      if (answer !== undefined) checkValue(result, answer.value, `${pointer}/result/value`, "example");
    }
    if (faults.all.length > 0) return;
    if (method.examples.every((example) => example.result === undefined))
      checkSample(result, sampleOf(model, result), "add an example of the result to the method");
    checkSample(params, leastParams(model, method), "add an example to the method");
    for (const member of objectsBelow(params))
      checkSample(member, sampleOf(model, member), 'add "examples" to its members');
  }

  /** Validates the values in a schema and its subschemas: default, examples, enumerated values and constant. */
  function checkSchema(schema: SchemaNode): void {
    const { pointer, default: preset, examples } = schema;
    if (preset !== undefined) checkValue(schema, preset.value, `${pointer}/default`, "default");
    for (const [index, value] of examples.entries())
      checkValue(schema, value, pointerBelow(pointer, "examples", index), "example");
    for (const [index, value] of (schema.enum ?? []).entries())
      checkValue(schema, value, pointerBelow(pointer, "enum", index), "enumerated value");
    if (schema.const !== undefined) checkValue(schema, schema.const.value, `${pointer}/const`, "constant");
    for (const child of childSchemas(schema)) checkSchema(child);
  }

  function checkValue(schema: SchemaNode, value: unknown, pointer: string, kind: string): void {
    for (const fault of faultsOf(schema, value))
      faults.report(`${pointer}${fault.pointer}`, `the ${kind} does not fit its schema: ${fault.message}`);
  }

  /** Validates the value that the generator makes up for a schema without examples. */
  function checkSample(schema: SchemaNode, value: unknown, advice: string): void {
    const [fault] = faultsOf(schema, value);
    if (fault !== undefined)
      faults.report(
        schema.pointer,
        `the generator finds no value that fits the schema: ${[fault.pointer, fault.message].join(" ").trim()}; ${advice}`,
      );
  }

  function faultsOf(schema: SchemaNode, value: unknown) {
    try {
      const validate: ValidateFunction = ajv.compile({ $ref: `document#${fragment(schema.pointer)}` });
      return validate(value) ? [] : readableFaults(validate.errors ?? []);
    } catch (error) {
      // The schema is faulty, which is reported elsewhere, or allows only values of infinite depth.
      if (faults.all.length > 0) return [];
      return [{ pointer: "", message: error instanceof Error ? error.message : String(error) }];
    }
  }
}

/** Returns the inline object schemas inside a schema. */
function objectsBelow(schema: SchemaNode): readonly SchemaNode[] {
  return childSchemas(schema).flatMap((child) => [
    ...(child.properties.length > 0 ? [child] : []),
    ...objectsBelow(child),
  ]);
}

function fragment(pointer: string): string {
  return pointerBelow("", ...pointerSegments(pointer))
    .split("/")
    .map(encodeURIComponent)
    .join("/");
}
