import type { MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { pointerBelow } from "../../pointer.ts";
import { constant } from "../../typescript/constant.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/** What the client must know of how methods work together. A constant each, so that a bundle has only what it uses. */
export function lifecycleFile(model: Model): OutputFile {
  return sourceFile("lifecycle.ts", createImports(), model.methods.flatMap(lifecycleConstants));
}

function lifecycleConstants(method: MethodModel) {
  const { name, identifier, pointer, poll, page, cancels } = method;
  const data = [
    { suffix: "Wait", value: poll?.request.wait?.[0], place: ["x-poll", "request", "wait"], text: "asks to wait by" },
    { suffix: "FinalStates", value: poll?.final, place: ["x-poll", "final"], text: "is polled until" },
    { suffix: "Successes", value: poll?.success, place: ["x-poll", "success"], text: "has succeeded with" },
    {
      suffix: "Page",
      value: page?.request.size?.[0],
      place: ["x-page", "request", "size"],
      text: "asks for a page by",
    },
    { suffix: "Cancels", value: cancels?.method, place: ["x-cancels", "method"], text: "undoes" },
  ];
  return data.flatMap(({ suffix, value, place, text }) => {
    if (value === undefined) return [];
    const docs = declarationComment([`What \`${name}\` ${text}.`], pointerBelow(pointer, ...place));
    const list = typeof value === "string" ? {} : { type: "readonly string[]" };
    const column = `export const ${identifier}${suffix}: readonly string[] = `.length;
    return [constant({ name: identifier + suffix, ...list, initializer: literal(value, column), docs })];
  });
}
