import type { LinkModel, MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { pointerBelow } from "../../pointer.ts";
import { constant } from "../../typescript/constant.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";

/**
 * How methods work together, as data: which one is polled and until when, which one pages, which one cancels, and what
 * one hands on to the next.
 */
export function pollsFile(model: Model): OutputFile {
  const imports = createImports();
  const statements = model.methods.flatMap((method) => [
    ...(method.poll ? [extensionConstant(method, "Poll", "x-poll", method.poll, "How to poll")] : []),
    ...(method.page ? [extensionConstant(method, "Page", "x-page", method.page, "How to read page by page with")] : []),
    ...(method.cancels
      ? [extensionConstant(method, "Cancels", "x-cancels", method.cancels, "What to cancel with")]
      : []),
    ...(method.links.length > 0 ? [linksConstant(method)] : []),
  ]);
  return sourceFile("polls.ts", imports, statements);
}

function extensionConstant(method: MethodModel, suffix: string, extension: string, value: object, text: string) {
  return constant({
    name: `${method.identifier}${suffix}`,
    initializer: `${literal(value, width)} as const`,
    docs: declarationComment(
      [`${text} \`${method.name}\`. A place is given by its member names, from the outside in.`],
      pointerBelow(method.pointer, extension),
    ),
  });
}

/** Longer than any line, so that the data is always written one member a line. */
const width = 121;

function linksConstant(method: MethodModel) {
  const links = method.links.map((link) => [link.name, { method: link.method, request: linkPlaces(link) }]);
  return constant({
    name: `${method.identifier}Links`,
    initializer: `${literal(Object.fromEntries(links), width)} as const`,
    docs: declarationComment(
      [`What a result of \`${method.name}\` hands on: member of the next request -> its place in the result.`],
      pointerBelow(method.pointer, "links"),
    ),
  });
}

/** `${result.queryRun.id}` -> `["queryRun", "id"]`; what is not taken from the result is left out. */
function linkPlaces(link: LinkModel) {
  const entries = Object.entries(link.params).flatMap(([member, expression]) => {
    const place = typeof expression === "string" ? /^\$\{result\.([\w.]+)\}$/.exec(expression)?.[1] : undefined;
    return place === undefined ? [] : [[member, place.split(".")]];
  });
  return Object.fromEntries(entries);
}
