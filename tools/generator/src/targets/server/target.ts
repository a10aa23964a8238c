import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { handlersFile } from "../../typescript/handlers-file.ts";
import { limitsFile } from "./limits.ts";

/** Handler types of the service, and its limits. */
export const server: Target = {
  name: "server",
  folder: folderOf.server,
  files: (model, _, limits) => [handlersFile(model), limitsFile(limits)],
};
