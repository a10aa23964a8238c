import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";
import { withEngine } from "./engine.ts";
import { withoutEnding } from "./files.ts";

/**
 * Returns a name for the table of a file, a folder or a glob that SQL takes without quotes: `seattle-weather.csv` is
 * `seattle_weather`.
 * @throws {SourceError} when the path has no letter or digit to name it after
 */
export async function tableNameOf(path: string): Promise<string> {
  const name = withoutEnding(basename(path.replace(/[/\\]\*.*$/, "")))
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/^[^\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+$/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "_");
  if (!/[\p{L}\p{N}]/u.test(name))
    throw new SourceError(`no table can be named after ${path}; say what it is called with --as`);
  if (/^\p{N}/u.test(name)) return `_${name}`;
  return (await isReserved(name)) ? `${name}_` : name;
}

/** Tells whether the engine takes a word for a key word where it stands for a table. */
async function isReserved(word: string): Promise<boolean> {
  return withEngine(join(tmpdir(), `quern-sources-${process.pid}`), async (connection) => {
    const reader = await connection.runAndReadAll(`SELECT 1 FROM duckdb_keywords()
      WHERE keyword_category IN ('reserved', 'type_function') AND keyword_name = ${quotedText(word)}`);
    return reader.currentRowCount > 0;
  });
}
