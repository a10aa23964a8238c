import { constants, copyFileSync, linkSync } from "node:fs";

/**
 * Gives a file a second name, or copies it where the file system has no hard links.
 * @throws EEXIST if the name is taken, ENOENT if there is no file
 */
export function linkFile(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST" || code === "ENOENT") throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL);
  }
}
