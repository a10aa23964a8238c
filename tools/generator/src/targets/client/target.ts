import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { errorNamesFile } from "./error-names.ts";
import { methodsFile } from "./methods.ts";

/** The caller's functions, and what `query()` must know to poll, page and cancel. */
export const client: Target = {
  name: "client",
  folder: folderOf.client,
  files: (model) => [methodsFile(model), errorNamesFile(model)],
};
