import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SpecError } from "./faults.ts";
import { generate, TreeError } from "./generate.ts";
import { generateCommand, sourceName } from "./output-file.ts";

/** Prints lines, as the console does. */
export type Printer = Pick<Console, "log" | "error">;

const repository = fileURLToPath(new URL("../../..", import.meta.url));

const usage = `Writes the generated files of the repository from ${sourceName}.

  ${generateCommand}               write the files that are not up to date
  ${generateCommand} -- --check    write nothing; print the files that are not up to date, and exit with 1

  --spec FILE   OpenRPC document. Default: the document of this repository.
  --out DIR     root of the tree to write. Default: this repository.`;

/** Runs `npm run generate` with these arguments. Returns the exit code. */
export async function runProgram(args: readonly string[], printer: Printer): Promise<number> {
  try {
    return await run(args, printer);
  } catch (error) {
    // Faults of the document, the tree or the command line are printed as lines. Any other error is a bug and is printed
    // with its stack.
    const isFault =
      error instanceof SpecError ||
      error instanceof TreeError ||
      // A file cannot be read or written.
      (error instanceof Error && "syscall" in error) ||
      (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
    printer.error(isFault ? error.message.replaceAll(/^/gm, "generate: ") : error);
    return 2;
  }
}

async function run(args: readonly string[], printer: Printer): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      check: { type: "boolean", default: false },
      spec: { type: "string", default: resolve(repository, sourceName) },
      out: { type: "string", default: repository },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    printer.log(usage);
    return 0;
  }
  const { changes, problem } = await generate({
    specFile: resolve(values.spec),
    root: resolve(values.out),
    check: values.check,
  });
  const foreign = changes.filter(({ kind }) => kind === "foreign");
  const generated = changes.filter(({ kind }) => kind !== "foreign");
  if (values.check)
    for (const { target, path, declaration, source, kind } of generated)
      printer.error(
        `${target}: ${path}: ${declaration} is ${kind}; it comes from ${source}; run \`${generateCommand}\``,
      );
  else for (const { path, text } of generated) printer.log(`${text === undefined ? "removed" : "wrote"} ${path}`);
  const reason =
    problem === undefined
      ? "not a generated file: the lock file does not list it"
      : `not known to be a generated file: ${problem}`;
  for (const { target, path } of foreign) printer.error(`${target}: ${path}: ${reason}; move or remove it by hand`);
  if (values.check) return changes.length > 0 ? 1 : 0;
  if (changes.length === 0) printer.log("all generated files are up to date");
  return 0;
}
