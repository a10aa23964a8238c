import { commandLine } from "../../command-line.ts";
import { flagsOf } from "../../flags.ts";
import type { MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment, methodComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { Code, literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates the command of each method as data only, so that the help does not load the client. */
export function commandsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("../methods/method-command.ts", "MethodCommand");
  const commands = model.methods.map((method) => commandConstant(model, method));
  const names = model.methods.map((method) => new Code(commandName(method)));
  const all = constant({
    name: "commands",
    type: "readonly MethodCommand[]",
    initializer: literal(names, 121),
    docs: declarationComment(["Commands of all methods, in the order of the document."], "/methods"),
  });
  return sourceFile("commands.ts", imports, [...commands, all]);
}

function commandConstant(model: Model, method: MethodModel) {
  const flags = flagsOf(model, method.params);
  const command = {
    name: method.slug,
    method: method.identifier,
    brief: method.deprecated ? `Deprecated. ${method.summary}` : method.summary,
    description: method.description,
    flags,
    examples: method.examples.map((example) => ({
      brief: example.description,
      line: commandLine(method, flags, example.params),
    })),
  };
  return constant({
    name: commandName(method),
    type: "MethodCommand",
    initializer: literal(command, 121),
    docs: methodComment(method),
  });
}

function commandName(method: MethodModel): string {
  return `${method.identifier}Command`;
}
