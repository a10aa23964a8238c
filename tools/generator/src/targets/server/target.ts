import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { handlersFile } from "../../typescript/handlers-file.ts";
import { limitsFile } from "./limits.ts";
import { settingsFile } from "./settings.ts";

/** Handler types of the service, its settings and its limits. */
export const server: Target = {
  name: "server",
  folder: folderOf.server,
  files: (model, _, settings) => [handlersFile(model), limitsFile(settings), settingsFile(settings)],
};
