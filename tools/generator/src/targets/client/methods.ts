import type { MethodModel, Model } from "../../model.ts";
import { failureType } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { methodComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates a function for each method: `(client, params, options?) => Promise<result>`. */
export function methodsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.namespace("@quern/protocol/methods", "descriptors");
  imports.value("../wire/method-function.ts", "methodFunction");
  imports.type("../wire/method-function.ts", "MethodFunction");
  return sourceFile(
    "methods.ts",
    imports,
    model.methods.map((method) => methodConstant(method, imports)),
  );
}

function methodConstant(method: MethodModel, imports: Imports) {
  const types = [
    imports.type("@quern/protocol/types", method.params),
    imports.type("@quern/protocol/types", method.result),
    imports.type("@quern/protocol/errors", failureType(method.stem)),
  ];
  return constant({
    name: method.identifier,
    type: "MethodFunction",
    typeArguments: types,
    initializer: { callee: "methodFunction", args: [new Code(`descriptors.${method.identifier}`)] },
    docs: methodComment(method),
  });
}
