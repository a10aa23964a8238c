import type { Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates the table of error names by code, also for codes that no method declares. */
export function errorNamesFile(model: Model): OutputFile {
  const declared = model.errors.map(({ code, name }): [number, string] => [code, name]);
  const names = new Map([...model.knownErrorCodes, ...declared].sort(([one], [other]) => other - one));
  return sourceFile("error-names.ts", createImports(), [
    constant({
      name: "errorNames",
      type: "Readonly<Record<number, string>>",
      initializer: literal(Object.fromEntries(names), 121),
      docs: declarationComment(["Names of all error codes of this interface, by code."], "/x-known-error-codes"),
    }),
  ]);
}
