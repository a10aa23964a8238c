import type { MethodModel, Model, ToolModel } from "../../model.ts";
import { camelCase } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { pointerBelow } from "../../pointer.ts";
import { inputSchema, jsonSchema, outputSchema } from "../../tool-schema.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code, literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates a descriptor for each tool, the list of all, and the hints for the errors of their methods. */
export function toolsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("../tool.ts", "Tool");
  const methods = model.methods.filter((method) => method.tool !== undefined);
  const constants = methods.flatMap((method) =>
    method.tool ? [toolConstant(model, method, method.tool, imports)] : [],
  );
  const names = methods.map(({ tool }) => new Code(constantName(tool?.name ?? "")));
  const hints = model.errors.flatMap(({ name, toolHint, hint }) => {
    // A hint with code names members of the interface, which an agent does not see.
    const text = toolHint ?? (hint?.includes("`") ? undefined : hint);
    return text === undefined ? [] : [[name, text] as const];
  });
  return sourceFile("tools.ts", imports, [
    ...constants,
    constant({
      name: "tools",
      type: "readonly Tool[]",
      initializer: literal(names, "export const tools: readonly Tool[] = ".length),
      docs: declarationComment(["All tools, in the order of their methods."], "/methods"),
    }),
    constant({
      name: "errorHints",
      type: "Readonly<Record<string, string>>",
      initializer: literal(
        Object.fromEntries(hints),
        "export const errorHints: Readonly<Record<string, string>> = ".length,
      ),
      docs: declarationComment(["Advice for the caller, by the name of the error."], "/x-errors"),
    }),
  ]);
}

function toolConstant(model: Model, method: MethodModel, tool: ToolModel, imports: Imports) {
  const descriptor = (name: string) => {
    const found = model.methods.find((each) => each.name === name) ?? method;
    return new Code(imports.value("@quern/protocol/methods", found.identifier));
  };
  const { name, title, description, hints, params, fixed, result, omit, size, link } = tool;
  const value = {
    name,
    title,
    description,
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      openWorldHint: hints.openWorld,
    },
    inputSchema: inputSchema(model, method, tool),
    method: descriptor(method.name),
    params: Object.fromEntries(
      params.map((param) => [param.name, { method: descriptor(param.method ?? method.name), member: param.member }]),
    ),
    fixed,
    output:
      result === "rows"
        ? "rows"
        : { members: result, omit, schema: jsonSchema(model, outputSchema(model, method, tool), "output") },
    ...(size && { size }),
    ...(link !== undefined && { link }),
  };
  const start = `const ${constantName(name)}: Tool = `;
  return constant({
    name: constantName(name),
    type: "Tool",
    initializer: literal(value, start.length),
    docs: declarationComment([], pointerBelow(method.pointer, "x-tool")),
    isExported: false,
  });
}

function constantName(tool: string): string {
  return `${camelCase(tool)}Tool`;
}
