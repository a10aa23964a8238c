import { readFileSync } from "node:fs";
import { checkExamples } from "./example-check.ts";
import type { Model } from "./model.ts";
import { readModel } from "./model-reader.ts";
import { parseSpecDocument } from "./spec-document.ts";

const models = new Map<string, Model>();

/**
 * Reads a document that a tree is generated from; the same text is read once, though every target asks for it.
 * @throws SpecError where the document is not valid, or says what the targets cannot express
 */
export function load(file: string): Model {
  const text = readFileSync(file, "utf8");
  const model = models.get(text) ?? readChecked(text, file);
  models.set(text, model);
  return model;
}

function readChecked(text: string, file: string): Model {
  const document = parseSpecDocument(text, file);
  const model = readModel(document);
  checkExamples(document, model);
  return model;
}
