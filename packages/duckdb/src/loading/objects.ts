import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FetchObjects } from "@quern/adapter";
import { type Origin, SourceError, type TableLoad } from "../sources/origin.ts";
import type { Target } from "./engine.ts";
import { filesOf, isDataFile, noFiles } from "./files.ts";
import { loadFiles } from "./files-query.ts";
import type { LoadReport } from "./report.ts";

type ObjectsOrigin = Extract<Origin, { kind: "objects" }>;

/** Loads an object, or the objects of a folder, as one table. They are copied to the local disk meanwhile. */
export async function loadObjects(
  target: Target,
  load: TableLoad,
  origin: ObjectsOrigin,
  fetchObjects: FetchObjects | undefined,
): Promise<LoadReport> {
  const { url } = origin;
  if (fetchObjects === undefined) throw new SourceError(`Origin without an adapter: ${url}; use \`quern sources\``);
  const copies = join(target.workDirectory, "objects");
  await mkdir(copies);
  try {
    const copied = await fetchObjects(url, copies, isDataFile).catch((error: unknown) => {
      throw new SourceError(error instanceof Error ? error.message : String(error), { cause: error });
    });
    if (copied === 0) throw noFiles("object", url);
    // The name of a single object counts as given, also if it begins with `.` or `_`.
    const [only] = copied === 1 ? await readdir(copies) : [];
    const isObject =
      only !== undefined && isDataFile(only) && decodeURIComponent(new URL(url).pathname).endsWith(`/${only}`);
    return await loadFiles(target, load, await filesOf(isObject ? join(copies, only) : copies, url), origin);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}
