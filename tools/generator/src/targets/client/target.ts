import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { errorNamesFile } from "./error-names.ts";
import { methodsFile } from "./methods.ts";

/** Functions of the client, one for each method, and the names of error codes. */
export const client: Target = {
  name: "client",
  folder: folderOf.client,
  files: (model) => [methodsFile(model), errorNamesFile(model)],
};
