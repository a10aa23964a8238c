import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { commandsFile } from "./commands.ts";

/** Commands of the methods. */
export const cli: Target = {
  name: "cli",
  folder: folderOf.cli,
  files: (model) => [commandsFile(model)],
};
