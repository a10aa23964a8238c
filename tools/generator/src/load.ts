import { readFileSync } from "node:fs";
import { checkExamples } from "./example-check.ts";
import type { Model } from "./model.ts";
import { readModel } from "./model-reader.ts";
import { parseSpecDocument } from "./spec-document.ts";

let latest: { readonly text: string; readonly model: Model } | undefined;

/**
 * Reads the document a tree is generated from; the same text is read once, though every target asks for it.
 * @throws SpecError where the document is not valid, or says what the targets cannot express
 */
export function load(file: string): Model {
  const text = readFileSync(file, "utf8");
  if (latest?.text !== text) latest = { text, model: readChecked(text, file) };
  return latest.model;
}

function readChecked(text: string, file: string): Model {
  const document = parseSpecDocument(text, file);
  const model = readModel(document);
  checkExamples(document, model);
  return model;
}
