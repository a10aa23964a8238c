import type { Dirent } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { UsageError } from "../errors/cli-error.ts";
import { isTypedFile } from "./typed-file.ts";

/** Files that patterns match. */
export interface StatementFiles {
  /** Files of statements, in the order of their names. */
  readonly statements: readonly string[];
  /** Generated files whose statement does not exist. */
  readonly orphans: readonly string[];
}

/** Finds the files of statements. @throws {UsageError} No file matches. */
export async function findStatementFiles(patterns: readonly string[]): Promise<StatementFiles> {
  const statements = (await matches(patterns)).filter((file) => file.endsWith(".sql"));
  const typed = await matches(patterns.map((pattern) => `${pattern}.ts`));
  const orphans: string[] = [];
  for (const file of typed.filter((each) => each.endsWith(".sql.ts") && !statements.includes(each.slice(0, -3))))
    if (isTypedFile(await readFile(file, "utf8"))) orphans.push(file);
  if (statements.length > 0 || orphans.length > 0) return { statements, orphans };
  throw new UsageError(
    `no .sql file matches: ${patterns.join(" ")}; pass a pattern in quotes, such as "queries/**/*.sql"`,
  );
}

async function matches(patterns: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  const options = { withFileTypes: true, exclude: ({ name }: Dirent) => name === "node_modules" } as const;
  for await (const file of glob([...patterns], options))
    if (!file.isDirectory()) names.add(relative("", join(file.parentPath, file.name)));
  return [...names].toSorted();
}

/** Returns the folder that all patterns begin with: `queries` for `queries/**` and `queries/cars/*.sql`. */
export function commonFolder(patterns: readonly string[]): string {
  const [first = [], ...others] = patterns.map((pattern) => {
    const parts = pattern.replaceAll(sep, "/").split("/");
    const magic = parts.findIndex((part) => /[*?[\]{}!()]/.test(part));
    return magic === -1 ? dirname(pattern).replaceAll(sep, "/").split("/") : parts.slice(0, magic);
  });
  let length = 0;
  while (length < first.length && others.every((parts) => parts[length] === first[length])) length += 1;
  // The first part of an absolute path is empty.
  return first.slice(0, length).join("/") || (first[0] === "" && length > 0 ? "/" : ".");
}

/**
 * Reads a statement. Its lines end with a line feed, so that an editor or Git that changes the line ends does not change it.
 * @throws {UsageError} for other encodings than UTF-8.
 */
export async function readStatement(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file)).replaceAll("\r\n", "\n");
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(`its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8`);
    throw error;
  }
}
