import type { MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { heading, page, prose, table } from "./markdown.ts";

/** The first page: what there is, and how it is called. */
export function readmePage(model: Model, mockAdmin: Model): OutputFile {
  const methods = table(
    ["method", "what it does"],
    model.methods.map((method) => [`[${method.name}](methods/${method.slug}.md)`, summary(method)]),
  );
  return {
    path: "README.md",
    text: page([
      heading(1, `${prose(model.title)}: reference`, "/info"),
      `Version ${prose(model.version)} of the interface.`,
      prose(model.description),
      heading(2, "Methods", "/methods"),
      methods,
      "[Types](types.md) describes what travels, [Errors](errors.md) how calls fail.",
      `[${prose(mockAdmin.title)}](mock-admin.md) is an interface of its own.`,
      "[Limits of the service](limits.md) lists the limits that an operator sets.",
    ]),
  };
}

function summary(method: MethodModel): string {
  const notes = [...method.tags, ...(method.deprecated ? ["deprecated"] : [])];
  return prose(notes.length === 0 ? method.summary : `${method.summary} (${notes.join(", ")})`);
}
