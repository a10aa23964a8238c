import { glob, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { UsageError } from "../errors/cli-error.ts";
import { countLineEnds, type Statement, statementsOf } from "../statement/statements.ts";

/** End of the names of files with rewritten statements. Such files are not checked. */
const rewrittenEnd = ".quern.sql";

const isPackages = (path: string): boolean => basename(path) === "node_modules";

/** File with statements of the old service. */
export interface OldFile {
  readonly path: string;
  readonly text: string;
  readonly statements: readonly OldStatement[];
}

export interface OldStatement extends Statement {
  /** Place of the text in the file, and its line, which is before `line` if comments are part of the text. */
  readonly start: number;
  readonly firstLine: number;
}

/**
 * Reads the files of the patterns, each once; a folder stands for its files `**\/*.sql`.
 * @throws {UsageError} A pattern matches no file, or a file cannot be read.
 */
export async function oldFiles(patterns: readonly string[], folder: string): Promise<readonly OldFile[]> {
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const isFolder = await stat(resolve(folder, pattern)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const found: string[] = [];
    for await (const path of glob(isFolder ? join(pattern, "**/*.sql") : pattern, { cwd: folder, exclude: isPackages }))
      if (!path.endsWith(rewrittenEnd)) found.push(path);
    if (found.length === 0)
      throw new UsageError(`no file matches: ${pattern}; name files with SQL, or a folder of them`);
    for (const path of found.sort()) paths.add(path);
  }
  return Promise.all([...paths].map((path) => readOldFile(path, folder)));
}

async function readOldFile(path: string, folder: string): Promise<OldFile> {
  const text = await readFile(resolve(folder, path), "utf8").catch((error: Error) => {
    throw new UsageError(`cannot read ${path}: ${error.message}; name files with SQL`);
  });
  let from = 0;
  const statements = statementsOf(text).map((statement) => {
    const start = text.indexOf(statement.sql, from);
    from = start + statement.sql.length;
    return { ...statement, start, firstLine: 1 + countLineEnds(text.slice(0, start)) };
  });
  return { path, text, statements };
}

/**
 * Writes a file beside the old one, in which statements are rewritten. Returns its path, and false if a file with other content
 * has it: that one stays.
 */
export async function writeBeside(
  { path, text, statements }: OldFile,
  rewrites: readonly (string | undefined)[],
  folder: string,
): Promise<{ readonly path: string; readonly isWritten: boolean }> {
  let rewritten = "";
  let done = 0;
  for (const [at, { sql, start }] of statements.entries()) {
    rewritten += text.slice(done, start) + (rewrites[at] ?? sql);
    done = start + sql.length;
  }
  rewritten += text.slice(done);
  const target = `${path.replace(/\.sql$/i, "")}${rewrittenEnd}`;
  const found = await readFile(resolve(folder, target), "utf8").catch(() => undefined);
  if (found === undefined) await writeFile(resolve(folder, target), rewritten);
  return { path: target, isWritten: found === undefined || found === rewritten };
}
