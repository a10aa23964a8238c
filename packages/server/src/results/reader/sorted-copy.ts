import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { sortedCopiesOf } from "../sorted-copies.ts";
import { sortedQuery } from "./page-query.ts";
import type { PageTask } from "./task.ts";

/** Fewer rows are sorted faster than a file is made. */
const leastRows = 20_000;
/** Of one result; the oldest makes room. */
const mostCopies = 8;

const making = new Map<string, Promise<void>>();

/**
 * The same page of a copy that has the conditions and the order of the task already, so that a late page costs what the
 * first does. The copy is made when a page beyond the first is asked for: the first alone needs no whole order.
 */
export async function ofSortedCopy(connect: () => Promise<DuckDBConnection>, task: PageTask): Promise<PageTask> {
  const { path, conditions, sortKeys, rowCount, page } = task;
  if (sortKeys.length === 0 || rowCount < leastRows) return task;
  const key = createHash("sha256")
    .update(JSON.stringify([conditions, sortKeys]))
    .digest("hex")
    .slice(0, 24);
  const copy = join(sortedCopiesOf(path), `${key}.parquet`);
  if (!existsSync(copy)) {
    if (page.number === 1) return task;
    try {
      const made = making.get(copy) ?? make(connect, task, copy);
      making.set(copy, made);
      await made.finally(() => making.delete(copy));
    } catch {
      return task; // a full disk, for one: the page can be had without, or says what is wrong
    }
  }
  return {
    ...task,
    path: copy,
    conditions: [],
    sortKeys: [],
    rowCount: await rowsIn(connect, copy),
    rowNumber: "row_number",
  };
}

async function make(connect: () => Promise<DuckDBConnection>, task: PageTask, copy: string): Promise<void> {
  const folder = sortedCopiesOf(task.path);
  await mkdir(folder, { recursive: true });
  const unfinished = `${copy}.tmp`;
  const connection = await connect();
  try {
    const { text, values, types } = sortedQuery(task, unfinished);
    await connection.run(text, values, types);
    await rename(unfinished, copy);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    connection.closeSync();
  }
  await makeRoom(folder);
}

async function makeRoom(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".parquet")).map((name) => join(folder, name));
  if (files.length <= mostCopies) return;
  const dated = await Promise.all(files.map(async (file) => ({ file, madeAt: (await stat(file)).mtimeMs })));
  dated.sort((a, b) => a.madeAt - b.madeAt);
  for (const { file } of dated.slice(0, files.length - mostCopies)) await rm(file, { force: true });
}

async function rowsIn(connect: () => Promise<DuckDBConnection>, path: string): Promise<number> {
  const connection = await connect();
  try {
    const footer = await connection.runAndReadAll("SELECT num_rows FROM parquet_file_metadata($1)", [path]);
    return Number(footer.getRows()[0]?.[0]);
  } finally {
    connection.closeSync();
  }
}
