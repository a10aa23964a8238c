import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { commandsFile } from "./commands.ts";
import { settingsFile } from "./settings.ts";

/** Commands of the methods, and the settings of `quern serve`. */
export const cli: Target = {
  name: "cli",
  folder: folderOf.cli,
  files: (model, _, settings) => [commandsFile(model), settingsFile(settings)],
};
