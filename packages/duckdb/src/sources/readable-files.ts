import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { SourceConfiguration } from "@quern/adapter";
import { readManifest } from "./manifest.ts";

export interface SourceReport {
  readonly isReadable: boolean;
  readonly meaning: string;
}

/**
 * Reports if processes of statements can read the files of sources.
 * @param canChangeUser True if the processes have other users than the service.
 */
export async function examineSources(
  sources: readonly SourceConfiguration[],
  dataDir: string,
  canChangeUser: boolean,
): Promise<SourceReport> {
  const files = sources.flatMap(filesOf);
  const { dev } = await stat(dataDir).catch(() => ({ dev: undefined }));
  const isReadable = (file: string): Promise<boolean> =>
    canChangeUser
      ? isReadableForAll(file, dev)
      : access(file, constants.R_OK).then(
          () => true,
          () => false,
        );
  const readable = await Promise.all(files.map(isReadable));
  const unreadable = files.filter((_, index) => !readable[index]);
  if (unreadable.length === 0)
    return { isReadable: true, meaning: "Processes of statements can read the files of all data sources." };
  const advice = canChangeUser
    ? "run chmod o+r on the files, which must exist, and chmod o+x on their directories if they are not on the file system of the data directory"
    : "check that they exist, and that the user of the service may read them";
  return { isReadable: false, meaning: `Processes of statements cannot read ${unreadable.join(", ")}; ${advice}.` };
}

function filesOf({ path, kind = "duckdb" }: SourceConfiguration): readonly string[] {
  if (path === undefined || kind !== "duckdb") return [];
  const manifest = readManifest(path);
  return manifest === undefined ? [path] : manifest.catalogs.map(({ file }) => join(path, file));
}

/** A process gets a hard link to a file on the file system of the data directory, and needs no other directory. */
async function isReadableForAll(file: string, linkableDevice: number | undefined): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !isPermitted(found, constants.S_IROTH)) return false;
  if (found.dev === linkableDevice) return true;
  const directories = await Promise.all(ancestorsOf(resolve(file)).map((path) => stat(path)));
  return directories.every((directory) => isPermitted(directory, constants.S_IXOTH));
}

function isPermitted({ mode }: Stats, bit: number): boolean {
  return (mode & bit) !== 0;
}

function ancestorsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}
