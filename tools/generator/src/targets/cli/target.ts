import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { commandsFile } from "./commands.ts";

/** A command for each method. */
export const cli: Target = {
  name: "cli",
  folder: folderOf.cli,
  files: (model) => [commandsFile(model)],
};
