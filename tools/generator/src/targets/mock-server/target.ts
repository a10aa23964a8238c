import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { handlersFile } from "../../typescript/handlers-file.ts";
import { defaultsFile } from "./defaults.ts";

/** Handler types of the mock server, and its default results. */
export const mockServer: Target = {
  name: "mock-server",
  folder: folderOf["mock-server"],
  files: (model) => [handlersFile(model), defaultsFile(model)],
};
