import type { LinkModel, MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { pointerBelow } from "../../pointer.ts";
import { schemaNamed } from "../../schema-lookup.ts";
import { codeSpan } from "../../schema-text.ts";
import { exampleSection } from "./example.ts";
import { heading, page, prose, table } from "./markdown.ts";
import { membersTable } from "./members.ts";

const types = "../types.md";

/** Generates the page of a method. */
export function methodPage(model: Model, method: MethodModel): OutputFile {
  const params = schemaNamed(model, method.params);
  const result = schemaNamed(model, method.result);
  return {
    path: `methods/${method.slug}.md`,
    text: page([
      heading(1, method.name, method.pointer),
      prose(method.summary),
      method.description === method.summary ? "" : prose(method.description),
      method.deprecated ? "**Deprecated.**" : "",
      method.tags.length === 0 ? "" : `Tags: ${prose(method.tags.join(", "))}.`,
      heading(2, "Parameters", params.pointer),
      "`params` is an array of one object:",
      membersTable(model, params, types, "Required") || "The object has no members.",
      heading(2, "Result", result.pointer),
      prose(result.description ?? ""),
      membersTable(model, result, types),
      heading(2, "Errors", pointerBelow(method.pointer, "errors")),
      errorsTable(method) || "The method declares no errors.",
      ...linksSection(model, method),
      ...(method.examples.length === 0 ? [] : [heading(2, "Examples", pointerBelow(method.pointer, "examples"))]),
      ...method.examples.map((example) => exampleSection(model, method, example)),
    ]),
  };
}

function errorsTable(method: MethodModel): string {
  const rows = method.errors.map(({ code, name, description, hint }) => [
    `\`${code}\``,
    `[${name}](../errors.md#${name.toLowerCase()})`,
    prose([description, hint ?? ""].filter((text) => text !== "").join(" ")),
  ]);
  return table(["Code", "Error", "Cause and remedy"], rows);
}

function linksSection(model: Model, method: MethodModel): readonly string[] {
  if (method.links.length === 0) return [];
  const lines = method.links.map((link) => `- ${linkLine(model, link)}`);
  return [heading(2, "Next calls", pointerBelow(method.pointer, "links")), lines.join("\n")];
}

function linkLine(model: Model, link: LinkModel): string {
  const target = model.methods.find((method) => method.name === link.method);
  const name = target === undefined ? `\`${link.method}\`` : `[${target.name}](${target.slug}.md)`;
  const params = Object.entries(link.params).map(
    ([member, value]) => `${codeSpan(member)} = ${codeSpan(expressionText(value))}`,
  );
  return `${name}${params.length === 0 ? "" : ` with ${params.join(", ")}`}: ${prose(link.description)}`;
}

/** Converts `${result.queryRun.id}` to `result.queryRun.id`. */
function expressionText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/^\$\{(.+)\}$/, "$1");
}
