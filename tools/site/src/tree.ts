import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Root of the checkout. */
export const root = join(import.meta.dirname, "../../..");

/** Folder of this tool. */
export const tool = join(root, "tools/site");

export const read = (path: string): string => readFileSync(join(root, path), "utf8");

export const exists = (path: string): boolean => existsSync(join(root, path));

export const isFolder = (path: string): boolean => statSync(join(root, path)).isDirectory();

/** Returns the Markdown files directly in a folder of the checkout, as paths from the root, in the order of their names. */
export const documentsIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
