import { readFileSync } from "node:fs";
import { checkExamples } from "./example-check.ts";
import { createFaults, SpecError } from "./faults.ts";
import { isJsonObject } from "./json.ts";
import { checkMethods } from "./method-check.ts";
import type { Model } from "./model.ts";
import { readModel } from "./model-reader.ts";
import { checkNames } from "./name-check.ts";
import { parseSpecDocument } from "./spec-document.ts";
import { checkTools } from "./tool-check.ts";

const models = new Map<string, Model>();

/**
 * Loads a document. An unchanged document is parsed and checked only once, although each target loads it.
 * @throws {SpecError} The document is invalid, or the targets cannot express it; lists all faults.
 */
export function load(file: string): Model {
  const text = readFileSync(file, "utf8");
  const model = models.get(text) ?? readChecked(text, file);
  models.set(text, model);
  return model;
}

function readChecked(text: string, file: string): Model {
  const faults = createFaults();
  const document = parseSpecDocument(text, file, faults);
  if (document === undefined) throw new SpecError(faults.all);
  const model = readModel(document, faults);
  const methods: readonly unknown[] = document.value.methods;
  // Includes refused methods, so that links to them are not reported as well.
  const methodNames = methods.flatMap((method) =>
    isJsonObject(method) && typeof method.name === "string" ? [method.name] : [],
  );
  checkMethods(model, methodNames, faults);
  checkTools(model, faults);
  checkNames(model, faults);
  checkExamples(document.value, model, faults);
  if (faults.all.length > 0) throw new SpecError(faults.all);
  return model;
}
