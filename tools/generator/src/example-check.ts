import { Ajv, type ValidateFunction } from "ajv";
import type { ExampleModel, MethodModel, Model, SchemaNode } from "./model.ts";
import { schemaNamed } from "./schema-lookup.ts";
import { SpecError } from "./spec-error.ts";

/**
 * Holds every example against the schema it illustrates, so that what is shown, answered by the mock and tried by the
 * corpus is true.
 * @throws SpecError that points into the first example that is wrong
 */
export function checkExamples(document: object, model: Model): void {
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addSchema(document, "document");
  const compile = (schema: SchemaNode) => ajv.compile({ $ref: `document#${encodeURI(schema.pointer)}` });
  for (const method of model.methods) checkMethod(model, method, compile);
  for (const error of model.errors) {
    if (error.data === undefined || error.dataExample === undefined) continue;
    checkValue(compile(schemaNamed(model, error.data)), error.dataExample.value, `${error.pointer}/data`);
  }
}

function checkMethod(model: Model, method: MethodModel, compile: (schema: SchemaNode) => ValidateFunction): void {
  if (method.examples.length === 0) return;
  const params = compile(schemaNamed(model, method.params));
  const result = compile(schemaNamed(model, method.result));
  for (const example of method.examples) checkExample(example, params, result);
}

function checkExample(example: ExampleModel, params: ValidateFunction, result: ValidateFunction): void {
  checkValue(params, example.params, `${example.pointer}/params/0/value`);
  if (example.result !== undefined) checkValue(result, example.result.value, `${example.pointer}/result/value`);
}

function checkValue(validate: ValidateFunction, value: unknown, pointer: string): void {
  if (validate(value)) return;
  const [fault] = validate.errors ?? [];
  throw new SpecError(
    `${pointer}${fault?.instancePath ?? ""}`,
    `the example does not fit its schema: ${fault?.message ?? "invalid"}`,
  );
}
