import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generate } from "./generate.ts";
import { mendingCommand, sourceName } from "./output-file.ts";
import { SpecError } from "./spec-error.ts";

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
  const changes = await generate({ specFile: resolve(values.spec), root: resolve(values.out), check: values.check });
  if (values.check) {
    for (const { target, path, declaration, source, kind } of changes) {
      console.error(
        `${target}: ${path}: ${declaration} is ${kind}; it comes from ${source}; mend it with \`${mendingCommand}\``,
      );
    }
    return changes.length > 0 ? 1 : 0;
  }
  for (const { path, text } of changes) console.log(`${text === undefined ? "removed" : "wrote"} ${path}`);
  if (changes.length === 0) console.log("everything generated is up to date");
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  // A fault of the document or of the command line is told in one line; any other is a fault of the generator.
  const isTold =
    error instanceof SpecError ||
    (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  console.error(isTold ? `generate: ${error.message}` : error);
  process.exitCode = 2;
}
