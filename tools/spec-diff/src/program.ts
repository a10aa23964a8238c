import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { diffDocuments, levelOfChanges } from "./diff.ts";
import { checkRelease } from "./release/gate.ts";
import { checkout, packageVersion, releasedFile, writeReleased } from "./release/released.ts";
import { linesOf, totalOf } from "./text.ts";

export interface Output {
  log(line: string): void;
  error(line: string): void;
}

const usage = `usage: npm run spec-diff -- <old.json> <new.json> [--json]   list every change between two OpenRPC documents
       npm run spec-diff -- check                            check that the changesets are large enough
       npm run spec-diff -- release                          write the document of the present version to spec/released`;

/** Runs the command line. Returns the exit code: 1 if a check fails, 2 for wrong arguments and unreadable files. */
export async function runProgram(args: readonly string[], output: Output, root = checkout): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean" } },
      allowPositionals: true,
    });
    const [first, second, ...rest] = positionals;
    if (first !== undefined && second !== undefined && rest.length === 0) {
      compareFiles(first, second, values.json === true, output);
      return 0;
    }
    if (first === "check" && second === undefined) {
      const { passes, lines } = await checkRelease(root);
      for (const line of lines) output.log(line);
      return passes ? 0 : 1;
    }
    if (first === "release" && second === undefined) {
      const version = packageVersion(root);
      writeReleased(version, root);
      output.log(`wrote ${releasedFile(version)}`);
      return 0;
    }
    output.error(usage);
    return 2;
  } catch (error) {
    output.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

function compareFiles(oldFile: string, newFile: string, isJson: boolean, output: Output): void {
  const changes = diffDocuments(readJson(oldFile), readJson(newFile));
  const level = levelOfChanges(changes) ?? null;
  if (isJson) output.log(JSON.stringify({ level, changes }, null, 2));
  else for (const line of [...linesOf(changes), totalOf(changes)]) output.log(line);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`Unreadable document: ${file}; ${error instanceof Error ? error.message : String(error)}`);
  }
}
