import type { JSDocStructure, OptionalKind } from "ts-morph";
import type { MethodModel } from "../model.ts";
import { declarationComment } from "./doc-comment.ts";
import { referenceLink } from "./reference-link.ts";

/** The comment that a method's name carries wherever it appears: what it does, how it fails, where to read on. */
export function methodComment(method: MethodModel): OptionalKind<JSDocStructure> {
  const errors = method.errors.map(({ name, code }) => `${name} (${code})`).join(", ");
  return declarationComment(
    [
      method.summary,
      method.description === method.summary ? "" : method.description,
      errors === "" ? "" : `Errors: ${errors}.`,
    ],
    method.pointer,
    [...(method.deprecated ? ["@deprecated"] : []), referenceLink(`methods/${method.slug}.md`)],
  );
}
