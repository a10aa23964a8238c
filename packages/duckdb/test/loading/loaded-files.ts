import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, type LoadRequest } from "../../src/loading.ts";
import { dataDirectorySources } from "../../src/sources/data-directory-sources.ts";
import { readManifest } from "../../src/sources/manifest.ts";
import { readDatabases } from "../sources/data.ts";

export let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await temporaryDirectory();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Options = Omit<LoadRequest, "from">;

/** Loads files of a new folder, given by name, as the table `t`, and returns its rows as the engine shows them. */
export async function loaded(files: Readonly<Record<string, string | Buffer>>, options: Options = {}, from = "") {
  const directory = join(folder, `files-${++made}`);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  const place = { dataDir: join(folder, `data-${made}`), source: "shop" };
  const only = Object.keys(files).length === 1 ? Object.keys(files)[0] : "";
  const report = await addToSource(place, { from: join(directory, from || (only ?? "")), as: "t", ...options });
  const rows = async (sql = "FROM t") => {
    const [source] = dataDirectorySources(place.dataDir);
    const path = source?.path ?? "";
    const databases = (readManifest(path)?.catalogs ?? []).map(({ name, file }) => ({ name, path: join(path, file) }));
    return readDatabases(databases, sql);
  };
  return { report, place, read: rows, rows: await rows() };
}
/** Types of the columns of the table `t`. */
export const typesOf = "SELECT list(data_type ORDER BY column_index) FROM duckdb_columns() WHERE table_name = 't'";
