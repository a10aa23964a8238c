import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { corpusFile } from "./cases.ts";

/** Test cases that follow from the document, in the format of `spec/conformance/README.md`. */
export const corpus: Target = {
  name: "corpus",
  folder: folderOf.corpus,
  files: (model) => model.methods.map((method) => corpusFile(model, method)),
};
