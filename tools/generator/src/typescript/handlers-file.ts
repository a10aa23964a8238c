import { StructureKind } from "ts-morph";
import { width } from "../layout.ts";
import type { Model } from "../model.ts";
import { propertyKey } from "../names.ts";
import type { OutputFile } from "../output-file.ts";
import { declarationComment, methodComment } from "./doc-comment.ts";
import { createImports } from "./imports.ts";
import { sourceFile } from "./source-file.ts";

/** Generates an interface with a member for each method, so that a server compiles only if it handles all methods. */
export function handlersFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("@quern/json-rpc/handler", "Preencoded");
  const properties = model.methods.map((method) => {
    const params = imports.type("@quern/protocol/types", method.params);
    const result = imports.type("@quern/protocol/types", method.result);
    const name = propertyKey(method.name);
    const type = functionType(`  readonly ${name}: `.length, params, result);
    return { name, type, isReadonly: true, docs: [methodComment(method, 2)] };
  });
  return sourceFile("handlers.ts", imports, [
    {
      kind: StructureKind.Interface,
      name: "MethodHandlers",
      isExported: true,
      typeParameters: ["Context"],
      properties,
      docs: [
        declarationComment(
          ["Handlers of all methods, by method name. A handler may return its result as encoded JSON text."],
          "/methods",
        ),
      ],
    },
  ]);
}

/** Formats the type of a handler that starts at a column. ts-morph indents the lines after the first. */
function functionType(column: number, params: string, result: string): string {
  const start = `(params: ${params}, context: Context) =>`;
  const answer = `Promise<${result} | Preencoded>`;
  if (column + start.length + answer.length + 2 <= width) return `${start} ${answer}`;
  return column + start.length <= width ? `${start}\n${answer}` : `(\n${start.slice(1)}\n${answer}`;
}
