import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunAs } from "@quern/adapter";
import { engineSourceEnding } from "../sources/engine-source.ts";
import { readManifest } from "../sources/manifest.ts";
import { SourceError, type TableLoad } from "../sources/origin.ts";
import { changeSource, removeSource } from "./change.ts";
import type { Draft } from "./draft.ts";

/** Place of the versions of one source: a directory, or a shared storage. */
export interface SourcePlace {
  /** @throws {SourceError} if the name belongs to something else */
  requireFree(): void;
  /** @throws {SourceError} if the source does not exist */
  requireExisting(): Promise<void>;
  /**
   * Creates a new version of the source and switches to it in one step. After a failure the present version stays.
   * @param runAs Identity under which statements run. @default the present setting
   * @throws {SourceError} if another process changes the source, and for errors of the engine
   */
  change(make: (draft: Draft) => Promise<readonly TableLoad[]>, runAs?: RunAs): Promise<void>;
  /** Removes the source with all of its tables. @throws {SourceError} if another process changes the source */
  remove(): Promise<void>;
}

/** Returns the place of a source in a data directory. */
export function folderPlace(dataDir: string, source: string): SourcePlace {
  const folder = join(dataDir, "sources", source);
  const file = `${folder}.duckdb`;
  const engineFile = `${folder}${engineSourceEnding}`;
  return {
    requireFree() {
      refuseFile(source, file);
      refuseFile(source, engineFile);
    },
    async requireExisting() {
      if (readManifest(folder) !== undefined) return;
      if (existsSync(engineFile)) throw withoutTables(source);
      if (existsSync(file))
        throw new SourceError(
          `Source not loaded by \`quern sources\`: ${source} is the file ${file}; replace or remove that file`,
        );
      throw new SourceError(`Unknown source: ${source} in ${dataDir}; list the sources with \`quern sources list\``);
    },
    async change(make, runAs) {
      await changeSource(folder, make, runAs);
    },
    remove: () => removeSource(folder),
  };
}

/** @throws {SourceError} if the file of another source exists */
export function refuseFile(source: string, file: string): void {
  if (existsSync(file))
    throw new SourceError(
      `Name of a source already in use: ${source} is the file ${file}; remove the file or choose another name`,
    );
}

/** Returns the error of a source of another engine, from which no tables are loaded. */
export function withoutTables(source: string): SourceError {
  return new SourceError(
    `Source without loaded tables: ${source} is queried in place; remove it with \`quern sources remove ${source}\``,
  );
}
