import { access, readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../errors/cli-error.ts";
import { resultFormats } from "../output/format.ts";

interface StatementOrigin {
  readonly sql?: string | undefined;
  readonly command?: string | undefined;
  readonly file?: string | undefined;
}

/**
 * Returns the text of the argument, of `--command` or of `--file`, else of stdin.
 * @throws {UsageError} There is no text, or more than one of them is given.
 */
export async function statementText(
  { sql, command, file }: StatementOrigin,
  process: Pick<NodeJS.Process, "stdin">,
): Promise<string> {
  if (sql !== undefined && /^\S+\.sql$/i.test(sql))
    throw new UsageError(`invalid statement: ${sql} is the name of a file; did you mean --file ${sql}?`);
  if (file !== undefined && resultFormats.some((each) => each === file) && !(await exists(file)))
    throw new UsageError(`cannot read the statements: there is no file ${file}; did you mean --format ${file}?`);
  if ([sql, command, file].filter((each) => each !== undefined).length > 1)
    throw new UsageError("more than one statement is given; pass it as the argument, with --command or with --file");
  const given = command ?? (sql === "-" ? undefined : sql);
  const statement = given ?? (await (file === undefined || file === "-" ? pipedText() : fileText(file)));
  if (statement.trim() !== "") return statement;
  if (file !== undefined && file !== "-") throw new UsageError(`missing statement: ${file} is empty`);
  throw new UsageError('missing statement; write `quern query "select 1"`, or send it to stdin');

  async function pipedText(): Promise<string> {
    const { stdin } = process; // Performance: Node opens it when it is read.
    const isPiped = sql === "-" || file === "-" || !stdin.isTTY;
    return isPiped ? utf8Text(await buffer(stdin), "on stdin") : "";
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function fileText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new UsageError(`cannot read the statements: ${error.message}; pass a file with SQL to --file`);
  });
  return utf8Text(bytes, `in ${file}`);
}

/** @throws {UsageError} for other encodings, whose characters would be replaced. */
function utf8Text(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`invalid statement ${place}: its bytes are not UTF-8; convert it, e.g. with iconv -t UTF-8`);
  }
}
