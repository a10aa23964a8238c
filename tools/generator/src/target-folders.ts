import type { TreeFolder } from "./tree.ts";

/** Folder of each target, by name. Separate from the targets, so that an unchanged run does not load them. */
export const folderOf = {
  protocol: "packages/protocol/src/generated",
  client: "packages/client/src/generated",
  server: "packages/server/src/generated",
  "mock-server": "packages/mock-server/src/generated",
  cli: "packages/cli/src/generated",
  mcp: "packages/mcp/src/generated",
  "query-options": "packages/query-options/src/generated",
  reference: "docs/reference",
  corpus: "spec/conformance/generated",
} as const;

export const targetFolders: readonly TreeFolder[] = Object.entries(folderOf).map(([target, path]) => ({
  target,
  path,
}));
