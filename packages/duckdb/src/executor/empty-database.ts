import { existsSync } from "node:fs";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Child } from "../processes/child.ts";
import type { ChildDirectory } from "../processes/child-directory.ts";
import type { EngineOptions } from "./sandbox.ts";
import { emptyDatabase } from "./task.ts";

/** Opens the engines of an executor. All of them open one empty database, because creating it takes 25 ms. */
export interface EngineStart {
  /** Opens the engine of a process. If it fails, the first task of the process fails with the same error. */
  open(child: Child, directory: ChildDirectory, options: Omit<EngineOptions, "directory" | "emptyDatabase">): void;
  /**
   * Resolves when the database that the first process has created is copied. No statement may run before, because it
   * could change the file.
   */
  copied(): Promise<void>;
}

/** @param workDirectory Directory of the database, and parent of the directories of the processes. */
export function createEngineStart(workDirectory: string): EngineStart {
  const path = join(resolve(workDirectory), emptyDatabase);
  let copied: Promise<void> | undefined;

  async function copy(directory: string): Promise<void> {
    const incomplete = `${path}.new`;
    // `copyFile` would keep the owner, and a later process with that user id could change the file.
    await writeFile(incomplete, await readFile(join(directory, emptyDatabase)));
    await chmod(incomplete, 0o644);
    await rename(incomplete, path); // atomic, so that no process opens an incomplete file
  }

  return {
    open(child, directory, options) {
      const known = existsSync(path) ? directory.share(path, emptyDatabase).path : undefined;
      const engine: EngineOptions = { ...options, directory: directory.ownPath, emptyDatabase: known };
      const opened = child.call("open", engine);
      opened.catch(() => {});
      if (known !== undefined) return;
      copied ??= opened
        .then(() => copy(directory.path))
        .catch(() => {}) // the next process creates the database again
        .finally(() => {
          copied = undefined;
        });
    },
    async copied() {
      await copied;
    },
  };
}
