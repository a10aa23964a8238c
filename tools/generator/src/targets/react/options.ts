import type { Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { constant } from "../../typescript/constant.ts";
import { createImports } from "../../typescript/imports.ts";
import { methodComment } from "../../typescript/method-comment.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/** An options factory for each method: `(client, params) => queryOptions`. */
export function optionsFile(model: Model): OutputFile {
  const imports = createImports();
  const type = imports.type("../method-options.ts", "MethodOptions");
  const factory = imports.value("../method-options.ts", "methodOptions");
  const factories = model.methods.map((method) => {
    const called = imports.value("@quern/client", method.identifier);
    return constant({
      name: `${method.identifier}Options`,
      // By the client's function: types written out would name a package that is no dependency of the hooks.
      type: `${type}<typeof ${called}>`,
      initializer: `/*@__PURE__*/ ${factory}(${called})`,
      docs: methodComment(method),
    });
  });
  return sourceFile("options.ts", imports, factories);
}
