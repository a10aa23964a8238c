import type { MethodModel, Model } from "../../model.ts";
import { optionsFunction } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { methodComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates an options factory for each read-only method: `(client, params) => queryOptions`. */
export function optionsFile(model: Model): OutputFile {
  const imports = createImports();
  // TanStack Query may repeat a query at any time, so only read-only methods have query options.
  const reading = model.methods.filter((method) => method.readOnly);
  return sourceFile(
    "options.ts",
    imports,
    reading.map((method) => optionsConstant(method, imports)),
  );
}

function optionsConstant(method: MethodModel, imports: Imports) {
  const called = imports.value("@quern/client", method.identifier);
  const type = imports.type("../method-options.ts", "MethodOptions");
  const factory = imports.value("../method-options.ts", "methodOptions");
  // A page of a result never changes.
  const freshness = method.page ? [{ staleTime: new Code("Infinity") }] : [];
  return constant({
    name: optionsFunction(method.identifier),
    // The type of the client's function: explicit types would import a package that is no dependency of the hooks.
    type,
    typeArguments: [`typeof ${called}`],
    initializer: { callee: factory, args: [new Code(called), ...freshness] },
    docs: methodComment(method),
  });
}
