import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { handlersFile } from "../../typescript/handlers-file.ts";

/** What the service must implement. */
export const server: Target = {
  name: "server",
  folder: folderOf.server,
  files: (model) => [handlersFile(model)],
};
