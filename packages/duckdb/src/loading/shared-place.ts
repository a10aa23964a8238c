import { constants } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunAs, SourceFiles } from "@quern/adapter";
import { nextVersion } from "../sources/manifest.ts";
import { SourceError, type TableLoad } from "../sources/origin.ts";
import { readSources, replaceSource } from "../sources/shared-index.ts";
import type { SharedCatalog, SharedManifest } from "../sources/shared-manifest.ts";
import { createDraft, type Draft } from "./draft.ts";
import { attached, withEngine } from "./engine.ts";
import { refuseFile, type SourcePlace } from "./folder-place.ts";
import { tablesOf } from "./table-list.ts";

/**
 * Returns the place of a source in a shared storage. A new version is written to the temporary directory first. Its files
 * are then stored under new names, and become visible to all servers when the index is replaced.
 * @param engineFile path of the source of another engine in the data directory that has the same name
 */
export function sharedPlace(files: SourceFiles, source: string, engineFile: string): SourcePlace {
  const read = async (): Promise<SharedManifest | undefined> => (await readSources(files)).sources.get(source);

  async function change(make: (draft: Draft) => Promise<readonly TableLoad[]>, runAs?: RunAs): Promise<void> {
    const before = await read();
    const version = nextVersion(before);
    const folder = await mkdtemp(join(tmpdir(), "quern-load-"));
    try {
      const present = before?.catalogs ?? [];
      const catalogs = new Map(present.map(({ name, file }) => [name, file.name.slice(source.length + 1)]));
      const copyPresent = (name: string, path: string): Promise<void> => copyStored(files, source, present, name, path);
      const loads = await make(
        createDraft({ folder, workDirectory: folder, version, catalogs, loads: before?.loads ?? [], copyPresent }),
      );
      const after: SharedCatalog[] = [];
      for (const [name, file] of catalogs)
        after.push(
          present.find((each) => each.name === name && each.file.name === `${source}/${file}`) ??
            (await store(files, `${source}/${file}`, { name, path: join(folder, file), folder })),
        );
      await replace(before, { version, catalogs: after, loads, runAs: runAs ?? before?.runAs });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function replace(before: SharedManifest | undefined, after: SharedManifest | undefined): Promise<void> {
    if (await replaceSource(files, source, before?.version, after)) return;
    throw new SourceError(
      `Source in use: another command has changed ${source} in ${files.address}; run this one again`,
    );
  }

  return {
    requireFree: () => refuseFile(source, engineFile),
    async requireExisting() {
      if ((await read()) === undefined)
        throw new SourceError(
          `Unknown source: ${source} in ${files.address}; list the sources with \`quern sources list\``,
        );
    },
    change,
    remove: async () => replace(await read(), undefined),
  };
}

interface WrittenCatalog {
  readonly name: string;
  readonly path: string;
  /** Directory for temporary files. */
  readonly folder: string;
}

async function store(files: SourceFiles, file: string, { name, path, folder }: WrittenCatalog): Promise<SharedCatalog> {
  const tables = await withEngine(join(folder, "spill"), (connection) =>
    attached(connection, path, name, "READ_ONLY", () => tablesOf(connection, name)),
  );
  return { name, file: await files.add(file, path), tables };
}

/** Copies a file of the present version. @throws {SourceError} if it is missing */
async function copyStored(
  files: SourceFiles,
  source: string,
  present: readonly SharedCatalog[],
  name: string,
  path: string,
): Promise<void> {
  const stored = present.find(({ file }) => file.name === `${source}/${name}`);
  const opened = stored && (await files.open(stored.file));
  if (opened === undefined)
    throw new SourceError(
      `Missing file of the source in ${files.address}: ${source}/${name}; remove the source with \`quern sources remove ${source}\`, and add it again`,
    );
  try {
    await copyFile(opened.path, path, constants.COPYFILE_FICLONE);
  } finally {
    await opened.release();
  }
}
