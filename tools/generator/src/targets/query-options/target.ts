import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { optionsFile } from "./options.ts";

/** Query options of the read-only methods for TanStack Query. */
export const queryOptions: Target = {
  name: "query-options",
  folder: folderOf["query-options"],
  files: (model) => [optionsFile(model)],
};
