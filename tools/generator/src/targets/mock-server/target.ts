import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { handlersFile } from "../../typescript/handlers-file.ts";
import { defaultsFile } from "./defaults.ts";

/** What the mock must implement, and what it answers where nobody told it better. */
export const mockServer: Target = {
  name: "mock-server",
  folder: folderOf["mock-server"],
  files: (model) => [handlersFile(model), defaultsFile(model)],
};
