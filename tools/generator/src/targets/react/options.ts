import type { Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { constant } from "../../typescript/constant.ts";
import { createImports } from "../../typescript/imports.ts";
import { methodComment } from "../../typescript/method-comment.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/** An options factory for each method: `(client, params) => queryOptions`. */
export function optionsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.value("../method-options.ts", "methodOptions");
  const factories = model.methods.map((method) =>
    constant({
      name: `${method.identifier}Options`,
      initializer: `/*@__PURE__*/ methodOptions(${imports.value("@quern/client", method.identifier)})`,
      docs: methodComment(method),
    }),
  );
  return sourceFile("options.ts", imports, factories);
}
