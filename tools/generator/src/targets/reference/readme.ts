import type { MethodModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { heading, page, prose, table } from "./markdown.ts";

/** Generates the first page of the reference. */
export function readmePage(model: Model, mockAdmin: Model): OutputFile {
  const methods = table(
    ["Method", "Task"],
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
      heading(2, "More pages", "/info"),
      table(
        ["Page", "Content"],
        [
          ["[Types](types.md)", "JSON types of params and results"],
          ["[Errors](errors.md)", "Error codes, their data, and what to do"],
          ["[Settings of the service](settings.md)", "Settings of an operator, with their variables and defaults"],
          ["[Limits of the service](limits.md)", "Limits that an operator can set"],
          [`[${prose(mockAdmin.title)}](mock-admin.md)`, "Admin API of the mock server"],
        ],
      ),
    ]),
  };
}

function summary(method: MethodModel): string {
  const notes = [...method.tags, ...(method.deprecated ? ["deprecated"] : [])];
  return prose(notes.length === 0 ? method.summary : `${method.summary} (${notes.join(", ")})`);
}
