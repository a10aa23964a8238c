import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SpecError } from "./faults.ts";
import { generate, TreeError } from "./generate.ts";
import { mendingCommand, sourceName } from "./output-file.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

const usage = `Writes the generated files of the repository from ${sourceName}.

  ${mendingCommand}                  write what is not up to date
  ${mendingCommand} -- --check       write nothing; name what is not up to date and exit with 1

  --spec FILE   another OpenRPC document
  --out DIR     another root to write the tree below`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: "boolean", default: false },
      spec: { type: "string", default: resolve(repository, sourceName) },
      out: { type: "string", default: repository },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
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
      console.error(
        `${target}: ${path}: ${declaration} is ${kind}; it comes from ${source}; mend it with \`${mendingCommand}\``,
      );
  else for (const { path, text } of generated) console.log(`${text === undefined ? "removed" : "wrote"} ${path}`);
  const reason = problem ?? "the lock file does not list it";
  for (const { target, path } of foreign)
    console.error(
      `${target}: ${path}: kept, though only generated files belong there: ${reason}; remove or move it by hand`,
    );
  if (values.check) return changes.length > 0 ? 1 : 0;
  if (changes.length === 0) console.log("everything generated is up to date");
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  // Faults of the document, the tree or the command line are one line each; any other error is a bug, with its stack.
  const isFault =
    error instanceof SpecError ||
    error instanceof TreeError ||
    // A file that cannot be read or written.
    (error instanceof Error && "syscall" in error) ||
    (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  console.error(isFault ? error.message.replaceAll(/^/gm, "generate: ") : error);
  process.exitCode = 2;
}
