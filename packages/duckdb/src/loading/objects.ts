import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FetchObjects } from "@quern/adapter";
import { type Origin, SourceError, type TableLoad } from "../sources/origin.ts";
import { createTable, type Target } from "./engine.ts";
import { filesQuery, globsOf, isDataFile, noFiles } from "./files.ts";

type ObjectsOrigin = Extract<Origin, { kind: "objects" }>;

/** Loads an object, or the objects of a folder, as one table. They are copied to the local disk meanwhile. */
export async function loadObjects(
  target: Target,
  { schema, table }: TableLoad,
  origin: ObjectsOrigin,
  fetchObjects: FetchObjects | undefined,
): Promise<void> {
  const { url } = origin;
  if (fetchObjects === undefined) throw new SourceError(`Origin without an adapter: ${url}; use \`quern sources\``);
  const copies = join(target.workDirectory, "objects");
  await mkdir(copies);
  try {
    const copied = await fetchObjects(url, copies, isDataFile).catch((error: unknown) => {
      throw new SourceError(error instanceof Error ? error.message : String(error), { cause: error });
    });
    if (copied === 0) throw noFiles("object", url);
    const query = await filesQuery(target.connection, await globsOf(copies, url), origin);
    await createTable(target, schema, table, query);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}
