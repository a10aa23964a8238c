import type { MethodModel, Model } from "../../model.ts";
import { propertyKey } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { constant } from "../../typescript/constant.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/** All methods with their validators, by the name on the wire: what a serving end hands to its handler. */
export function contractFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("@quern/json-rpc/envelope", "ServedMethod");
  imports.namespace("./methods.ts", "methods");
  imports.namespace("./validators.ts", "validators");
  const members = model.methods.map((method) => `  ${member(method)},\n`).join("");
  return sourceFile("contract.ts", imports, [
    constant({
      name: "contract",
      initializer: `{\n${members}} as const satisfies Record<string, ServedMethod>`,
      docs: declarationComment(
        ["Every method with the validators of its request and its result, by its name on the wire."],
        "/methods",
      ),
    }),
  ]);
}

function member({ name, identifier }: MethodModel): string {
  const parts = [
    `descriptor: methods.${identifier}`,
    `params: validators.${identifier}Params`,
    `result: validators.${identifier}Result`,
  ];
  return `${propertyKey(name)}: { ${parts.join(", ")} }`;
}
