import type { SourceFiles, SourceIndex } from "@quern/adapter";
import { SourceError } from "./origin.ts";
import { parseManifests, type SharedManifest, type SharedManifests } from "./shared-manifest.ts";

/** Version of the form of the index. */
const format = 1;

/** Index that was read, with the sources that it names. */
export interface ReadSources {
  readonly index: SourceIndex | undefined;
  readonly sources: SharedManifests;
}

/**
 * Reads the sources of a storage. Returns `known` itself if they have not changed.
 * @throws {SourceError} if the index is invalid, or was written by a newer version
 */
export async function readSources(files: SourceFiles, known?: ReadSources): Promise<ReadSources> {
  const index = await files.index(known?.index);
  if (known !== undefined && index === known.index) return known;
  return { index, sources: index === undefined ? new Map() : parseIndex(index.text, files.address) };
}

/**
 * Replaces one source, or removes it. Repeats the change on the new index if another source was changed meanwhile.
 * @param before version that the change was made from; undefined for a new source
 * @returns false if the source is no longer the one that the change was made from
 */
export async function replaceSource(
  files: SourceFiles,
  name: string,
  before: string | undefined,
  after: SharedManifest | undefined,
): Promise<boolean> {
  for (;;) {
    const { index, sources } = await readSources(files);
    const present = sources.get(name)?.version;
    // The response to an earlier attempt may have been lost.
    if (present === after?.version) return true;
    if (present !== before) return false;
    const changed = new Map(sources);
    if (after === undefined) changed.delete(name);
    else changed.set(name, after);
    const text = `${JSON.stringify({ format, sources: Object.fromEntries([...changed].sort()) }, null, 2)}\n`;
    if (await files.replaceIndex(index, text)) return true;
  }
}

function parseIndex(text: string, address: string): SharedManifests {
  let value: { readonly format?: unknown; readonly sources?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (Number(value?.format) > format)
    throw new SourceError(
      `The data sources in ${address} have the format of a newer version of Quern; update this version.`,
    );
  const sources = parseManifests(value?.sources);
  if (sources !== undefined) return sources;
  throw new SourceError(
    `Invalid index of data sources in ${address}: sources/index.json is damaged or was not written by Quern; restore it, or remove it and add the sources again.`,
  );
}
