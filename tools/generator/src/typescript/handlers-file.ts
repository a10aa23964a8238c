import { StructureKind } from "ts-morph";
import type { Model } from "../model.ts";
import { propertyKey } from "../names.ts";
import type { OutputFile } from "../output-file.ts";
import { declarationComment } from "./doc-comment.ts";
import { createImports } from "./imports.ts";
import { methodComment } from "./method-comment.ts";
import { sourceFile } from "./source-file.ts";

/** One interface with a member for each method, so that a serving end does not compile before it performs them all. */
export function handlersFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("@quern/json-rpc/handler", "Preencoded");
  const properties = model.methods.map((method) => {
    const params = imports.type("@quern/protocol/types", method.params);
    const result = imports.type("@quern/protocol/types", method.result);
    return {
      name: propertyKey(method.name),
      type: `(params: ${params}, context: Context) => Promise<${result} | Preencoded>`,
      isReadonly: true,
      docs: [methodComment(method)],
    };
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
          [
            "What a serving end performs: one function for each method, by its name on the wire. A result may be JSON text already.",
          ],
          "/methods",
        ),
      ],
    },
  ]);
}
