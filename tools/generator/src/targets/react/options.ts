import type { MethodModel, Model } from "../../model.ts";
import { optionsFunction } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { methodComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** An options factory for each method that only reads: `(client, params) => queryOptions`. */
export function optionsFile(model: Model): OutputFile {
  const imports = createImports();
  // TanStack Query may repeat a query at any time, so only methods that change nothing have query options.
  const reading = model.methods.filter((method) => method.readOnly);
  return sourceFile(
    "options.ts",
    imports,
    reading.map((method) => optionsConstant(method, imports)),
  );
}

function optionsConstant(method: MethodModel, imports: Imports) {
  const called = imports.value("@quern/client", method.identifier);
  const type = imports.type("../options/method-options.ts", "MethodOptions");
  const factory = imports.value("../options/method-options.ts", "methodOptions");
  // Equal calls for a page give equal rows.
  const freshness = method.page ? [{ staleTime: new Code("Infinity") }] : [];
  return constant({
    name: optionsFunction(method.identifier),
    // By the client's function: types written out would name a package that is no dependency of the hooks.
    type,
    typeArguments: [`typeof ${called}`],
    initializer: { callee: factory, args: [new Code(called), ...freshness] },
    docs: methodComment(method),
  });
}
