import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { toolsFile } from "./tools.ts";

/** Tools of the MCP server, from the methods with `x-tool`. */
export const mcp: Target = {
  name: "mcp",
  folder: folderOf.mcp,
  files: (model) => [toolsFile(model)],
};
