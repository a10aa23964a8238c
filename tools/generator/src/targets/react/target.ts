import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { optionsFile } from "./options.ts";

/** What TanStack Query needs to know of each method. */
export const react: Target = {
  name: "react",
  folder: folderOf.react,
  files: (model) => [optionsFile(model)],
};
