import type { MethodModel, Model } from "../../model.ts";
import { failureType } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { constant } from "../../typescript/constant.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { oneLine } from "../../typescript/literal.ts";
import { methodComment } from "../../typescript/method-comment.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/** A descriptor for each method: its name, its declared errors and, for the compiler, its types. */
export function methodsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.value("../method.ts", "method");
  imports.type("@quern/json-rpc/envelope", "MethodDescriptor");
  return sourceFile(
    "methods.ts",
    imports,
    model.methods.map((method) => descriptor(method, imports)),
  );
}

function descriptor(method: MethodModel, imports: Imports) {
  const names = [
    imports.type("./types.ts", method.params),
    imports.type("./types.ts", method.result),
    imports.type("./errors.ts", failureType(method.stem)),
  ];
  const errors = Object.fromEntries(method.errors.map(({ code, name }) => [String(code), name]));
  return constant({
    name: method.identifier,
    type: `MethodDescriptor<${names.join(", ")}>`,
    initializer: `/*@__PURE__*/ method(${oneLine(method.name)}, ${oneLine(errors)})`,
    docs: methodComment(method),
  });
}
