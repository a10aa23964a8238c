import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { UploadFiles } from "@quern/adapter";
import { linkFile } from "@quern/duckdb";
import { ownerOnly } from "../common/data-directory.ts";

/** Creates the store of uploaded files in a directory that only the user of the service can read. */
export async function createUploadFiles(directory: string): Promise<UploadFiles> {
  await mkdir(directory, ownerOnly);
  const pathOf = (id: string): string => join(directory, id);
  return {
    async add(id, path) {
      // A link, since a rename would replace a file of the same id.
      if (!isDone(() => linkFile(path, pathOf(id)), "EEXIST")) return false;
      await rm(path, { force: true });
      return true;
    },
    fetch: async (id, path) => isDone(() => linkFile(pathOf(id), path), "ENOENT"),
    remove: (id) => rm(pathOf(id), { force: true }),
    async sweep(isNeeded) {
      for (const id of await readdir(directory)) if (!(await isNeeded(id))) await rm(pathOf(id), { force: true });
    },
  };
}

/** Returns false if a step fails with a code. */
function isDone(step: () => void, code: string): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === code) return false;
    throw error;
  }
}
