import {
  type OpenedFile,
  type Source,
  type SourceConfiguration,
  type SourceFiles,
  StatementError,
} from "@quern/adapter";
import { type Database, type HeldDatabases, unheld } from "./held-data.ts";
import { type ReadSources, readSources } from "./shared-index.ts";
import type { SharedManifest, SharedManifests } from "./shared-manifest.ts";
import { type FoundSource, toConfigurations } from "./source-list.ts";

/** Data sources in a storage that several servers share, as one server sees them. */
export interface SharedSources {
  /**
   * Returns the sources as they were at the last poll, or at the last call of `refresh`, `hold` or `sweep`, together with
   * others.
   * @param others sources that are not in the storage. One with the name of a source of the storage is not returned.
   */
  configurations(others?: readonly SourceConfiguration[]): readonly SourceConfiguration[];
  /** Reads the sources anew. @throws {UnavailableError} if the storage cannot be reached */
  refresh(): Promise<void>;
  /** Returns the version of a source that `configurations` lists. A version has the same text on all servers. */
  revision(source: Source): string;
  /** Returns local copies of the present files of a source, which stay until they are released. */
  hold(source: Source): Promise<HeldDatabases>;
  /** Removes files of versions that are no longer present from the storage. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedSourcesOptions {
  readonly files: SourceFiles;
  /** Called if the sources cannot be read at a poll. The server then continues with those that it knows. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds between polls. @default 5,000 */
  readonly pollMs?: number;
}

/**
 * Age below which each file is kept, in milliseconds. A source that is removed and added again begins with version 1, so a
 * file that is stored after the sweep has read the index can become present although its version is not later than the one
 * in that index. Ten minutes allow for clocks that differ.
 */
const recentMs = 10 * 60_000;

/** Age from which a file of a version that never became present was left by an interrupted load, in milliseconds. */
const loadMs = 24 * 3_600_000;

/** Reads the sources, and again at an interval. `close` also closes the files. @throws {Error} one line if they cannot be read */
export async function openSharedSources({
  files,
  onError,
  pollMs = 5_000,
}: SharedSourcesOptions): Promise<SharedSources> {
  let known = await readSources(files).catch(async (error: unknown) => {
    await files.close();
    throw error;
  });
  let started = 0;
  let applied = 0;

  /** Reads the sources anew. An answer that arrives after that of a later request is not remembered. */
  async function read(): Promise<ReadSources> {
    const nth = ++started;
    const answer = await readSources(files, known);
    if (nth > applied) {
      applied = nth;
      known = answer;
    }
    return answer;
  }

  let polling: Promise<void> | undefined;
  let isAway = false;
  async function poll(): Promise<void> {
    try {
      const { sources } = await read();
      await files.sweepCopies((name) => isPresent(sources, name));
      isAway = false;
    } catch (error) {
      if (!isAway) onError(error); // once for each outage
      isAway = true;
    }
  }
  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
  }, pollMs);
  timer.unref();

  return {
    configurations(others = []) {
      const found = new Map<string, FoundSource>(others.map((other) => [other.name, other]));
      for (const [name, { runAs = "fixed" }] of known.sources) found.set(name, { runAs });
      return toConfigurations(found);
    },
    async refresh() {
      await read();
    },
    revision: ({ name }) => known.sources.get(name)?.version ?? "none",
    async hold({ name }) {
      // The run may have the revision of a version that this server has not polled yet, so the index is read anew.
      for (let last: string | undefined; ; ) {
        const { sources } = await read();
        const manifest = sources.get(name);
        if (manifest === undefined) {
          if (name === "none" && sources.size === 0) return unheld("none", []);
          throw removed(name);
        }
        const held = await open(files, name, manifest);
        if (held !== undefined) return held;
        // A sweep may have removed a file of an earlier version meanwhile. Otherwise the file is lost.
        if (manifest.version === last)
          throw new Error(
            `Missing file of the data source in ${files.address}: ${name}; remove the source with \`quern sources remove ${name}\`, and add it again.`,
          );
        last = manifest.version;
      }
    },
    async sweep() {
      const { index, sources } = await read();
      if (index === undefined) return; // a lost index must not remove the files that a restored one names
      const now = Date.now();
      await files.sweep((name, addedAt) => isPresent(sources, name) || isInProgress(sources, name, now - addedAt));
    },
    async close() {
      clearInterval(timer);
      await polling;
      await files.close();
    },
  };
}

function isPresent(sources: SharedManifests, name: string): boolean {
  return sources.get(sourceOf(name))?.catalogs.some(({ file }) => file.name === name) === true;
}

/**
 * Opens the files of a version. The first database is the one with the name of the source.
 * @throws {StatementError} if the local copies can never have all of them at the same time
 */
async function open(files: SourceFiles, source: string, manifest: SharedManifest): Promise<HeldDatabases | undefined> {
  const bytes = manifest.catalogs.reduce((sum, { file }) => sum + file.bytes, 0);
  if (manifest.catalogs.length > 1 && bytes > files.maxCopyBytes) throw tooLarge(source, bytes, files.maxCopyBytes);
  const opened: OpenedFile[] = [];
  const release = async (): Promise<void> => {
    for (const file of opened) await file.release();
  };
  const databases: Database[] = [];
  try {
    for (const { name, file } of manifest.catalogs) {
      const copy = await files.open(file);
      if (copy === undefined) {
        await release();
        return undefined;
      }
      opened.push(copy);
      databases.push({ name, path: copy.path });
    }
  } catch (error) {
    await release();
    throw error;
  }
  const isFirst = ({ name }: Database): boolean => name === source;
  const ordered = [...databases.filter(isFirst), ...databases.filter((each) => !isFirst(each))];
  return { revision: manifest.version, databases: ordered, release };
}

/** Returns true for a recent file, and for one of a version after the present one, whose load may not have ended. */
function isInProgress(sources: SharedManifests, name: string, ageMs: number): boolean {
  const source = sourceOf(name);
  const isLater = numberOf(name.slice(source.length + 1)) > numberOf(sources.get(source)?.version ?? "0");
  return ageMs < (isLater ? loadMs : recentMs);
}

function numberOf(version: string): number {
  return Number.parseInt(version, 10);
}

function sourceOf(name: string): string {
  return name.split("/", 1)[0] ?? "";
}

function tooLarge(name: string, bytes: number, maxBytes: number): StatementError {
  return new StatementError({
    name: "DataSourceTooLarge",
    message: `The data source ${name} is too large: its files have ${bytes} bytes; the operator can raise maxSourceCacheBytes, which is ${maxBytes}.`,
    data: { category: "DATA_SOURCE", retryable: false },
  });
}

function removed(name: string): StatementError {
  return new StatementError({
    name: "DataSourceNotFound",
    message: `The data source ${name} no longer exists.`,
    data: { category: "DATA_SOURCE", retryable: false },
  });
}
