import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { optionsFile } from "./options.ts";

/** Query options of the read-only methods for TanStack Query. */
export const react: Target = {
  name: "react",
  folder: folderOf.react,
  files: (model) => [optionsFile(model)],
};
