import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inDuckDB } from "../sources/data.ts";
import type { Places } from "./hostile-statement.ts";

/** Secret text, which is in each file that a hostile statement names. */
export const marker = "nobody may read this";

/** Creates the surroundings of a run: files of the machine, other sources, and directories of other runs. */
export async function furnish(outside: string, dataDir: string): Promise<Omit<Places, "result">> {
  const secret = join(outside, "secret.csv");
  await writeFile(secret, `${marker}\n`);
  const [sources, work] = [join(dataDir, "sources"), join(dataDir, "work")];
  await mkdir(sources, { recursive: true });
  const [own, data] = [join(sources, "own.duckdb"), join(sources, "other.duckdb")];
  await inDuckDB(own, "create table t as select 1 as n");
  await inDuckDB(data, `create table t as select '${marker}' as secret`);
  const run = join(work, "of-another-run");
  await mkdir(join(run, "out"), { recursive: true });
  await mkdir(join(run, "spill"));
  await writeFile(join(run, "spill", "duckdb_temp_storage-0.tmp"), marker);
  await inDuckDB(":memory:", `copy (select '${marker}' as c0) to '${run}/out/result.parquet'`);
  const link = join(work, "link");
  await symlink(secret, link);
  return { secret, outside, work, link, own, data, run };
}

/** Files that the service itself writes while statements run. */
const written = /^(audit\.jsonl|quern\.db.*|server\..*|work\/(worker|reader|download)-\d.*|work\/sources.*)$/;

/** Returns each file and directory below `roots`, with its content. */
export async function contents(...roots: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const root of roots) {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!written.test(path.slice(root.length + 1))) found.set(path, await contentOf(entry, path));
    }
  }
  return found;
}

async function contentOf(entry: { isFile(): boolean; isSymbolicLink(): boolean }, path: string): Promise<string> {
  if (entry.isSymbolicLink()) return readlink(path);
  return entry.isFile()
    ? createHash("sha256")
        .update(await readFile(path))
        .digest("hex")
    : "a folder";
}
