import { width } from "../../layout.ts";
import type { MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { Code, literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates the table of all methods with their validators, by method name, for servers. */
export function contractFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("@quern/json-rpc/envelope", "ServedMethod");
  imports.namespace("./methods.ts", "methods");
  imports.namespace("./validators.ts", "validators");
  const members = Object.fromEntries(model.methods.map((method) => [method.name, member(method)]));
  return sourceFile("contract.ts", imports, [
    constant({
      name: "contract",
      initializer: `${literal(members, width)} as const satisfies Record<string, ServedMethod>`,
      docs: declarationComment(
        ["All methods with the validators of their params and results, by method name."],
        "/methods",
      ),
    }),
  ]);
}

function member({ identifier }: MethodModel) {
  return {
    descriptor: new Code(`methods.${identifier}`),
    params: new Code(`validators.${identifier}Params`),
    result: new Code(`validators.${identifier}Result`),
  };
}
