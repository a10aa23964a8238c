import type { MethodModel, Model } from "../../model.ts";
import { propertyKey } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { sampleOf } from "../../sample.ts";
import { schemaNamed } from "../../schema-lookup.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/**
 * Generates a default result for each method: that of its first example with a result, else a sample that fits the
 * schema.
 */
export function defaultsFile(model: Model): OutputFile {
  const imports = createImports();
  const results = model.methods.map((method) => resultConstant(model, method, imports));
  const members = model.methods.map((method) => `  ${propertyKey(method.name)}: ${defaultName(method)},\n`).join("");
  const all = constant({
    name: "defaults",
    initializer: `{\n${members}} as const`,
    docs: declarationComment(["Default results of all methods, by method name."], "/methods"),
  });
  return sourceFile("defaults.ts", imports, [...results, all]);
}

function resultConstant(model: Model, method: MethodModel, imports: Imports) {
  const example = method.examples.find((candidate) => candidate.result !== undefined);
  const value =
    example?.result === undefined ? sampleOf(model, schemaNamed(model, method.result)) : example.result.value;
  const text =
    example === undefined
      ? `Result of \`${method.name}\` that fits its schema.`
      : `Result of \`${method.name}\`: ${example.name}.`;
  return constant({
    name: defaultName(method),
    type: imports.type("@quern/protocol/types", method.result),
    initializer: literal(value, 121),
    docs: declarationComment(
      [text],
      example === undefined ? `${method.pointer}/result` : `${example.pointer}/result/value`,
    ),
  });
}

function defaultName(method: MethodModel): string {
  return `${method.identifier}Default`;
}
