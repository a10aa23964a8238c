import { chmod, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TableLoad } from "../sources/origin.ts";
import { attached, type Target, withEngine } from "./engine.ts";

/** New version of a source in progress. Statements do not see it before it is complete. */
export interface Draft {
  /** Loads of the present version. */
  readonly loads: readonly TableLoad[];
  /** Changes a catalog of the new version, which starts as a copy of the present catalog, or empty. */
  change(catalog: string, start: "copied" | "empty", work: (target: Target) => Promise<void>): Promise<void>;
  removeCatalog(catalog: string): void;
}

/** Parts of a draft. */
interface DraftParts {
  /** Directory in which the files of the new version are written. */
  readonly folder: string;
  readonly workDirectory: string;
  readonly version: string;
  /** Names of the files by catalog. The draft changes them. */
  readonly catalogs: Map<string, string>;
  readonly loads: readonly TableLoad[];
  /** Copies a file of the present version to a path. */
  readonly copyPresent: (file: string, path: string) => Promise<void>;
}

/** Creates a draft. It changes `catalogs` to name the files of the new version. */
export function createDraft({ folder, workDirectory, version, catalogs, loads, copyPresent }: DraftParts): Draft {
  /**
   * Returns `<version>.duckdb` for the first file of this version, and `<version>.2.duckdb` and so on for the others.
   */
  const newFile = (): string => {
    const taken = [...catalogs.values()].filter((file) => file.startsWith(`${version}.`)).length;
    return taken === 0 ? `${version}.duckdb` : `${version}.${taken + 1}.duckdb`;
  };
  return {
    loads,
    async change(catalog, start, work) {
      const before = catalogs.get(catalog);
      const file = before?.startsWith(`${version}.`) ? before : newFile();
      const path = join(folder, file);
      if (start === "empty") await rm(path, { force: true });
      else if (before !== undefined && before !== file) await copyPresent(before, path);
      await withEngine(join(workDirectory, "spill"), (connection) =>
        attached(connection, path, catalog, "READ_WRITE", () => work({ connection, catalog, workDirectory })),
      );
      await flush(path);
      // Processes of statements can have other users. The directory of all sources keeps everyone else from the file.
      await chmod(path, 0o644);
      catalogs.set(catalog, file);
    },
    removeCatalog: (catalog) => void catalogs.delete(catalog),
  };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
