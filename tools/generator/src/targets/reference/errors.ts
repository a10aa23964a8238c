import { jsonText } from "../../layout.ts";
import type { ErrorModel, Model } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { schemaNamed } from "../../schema-lookup.ts";
import { codeBlock, heading, page, prose, table } from "./markdown.ts";
import { membersTable } from "./members.ts";

/** Generates the page of errors: the declared errors, and the names of other codes. */
export function errorsPage(model: Model): OutputFile {
  const known = table(
    ["Code", "Name"],
    [...model.knownErrorCodes].map(([code, name]) => [`\`${code}\``, name]),
  );
  const others =
    known === ""
      ? []
      : [
          heading(2, "Other codes", "/x-known-error-codes"),
          "No method declares these codes, but other services of this interface may answer with them. The client knows their names.",
          known,
        ];
  const intro =
    "An error is a JSON-RPC error object with `code`, `message` and, if described below, `data`. The HTTP status is 200 unless another is stated.";
  return {
    path: "errors.md",
    text: page(["# Errors", intro, ...model.errors.map((error) => errorSection(model, error)), ...others]),
  };
}

function errorSection(model: Model, error: ErrorModel): string {
  const methods = model.methods
    .filter((method) => method.errors.some(({ name }) => name === error.name))
    .map((method) => `[${method.name}](methods/${method.slug}.md)`);
  const data = error.data === undefined ? "" : membersTable(model, schemaNamed(model, error.data), "types.md");
  const example = {
    code: error.code,
    message: error.message,
    ...(error.dataExample && { data: error.dataExample.value }),
  };
  const blocks = [
    heading(2, error.name, error.pointer),
    `Code \`${error.code}\`${error.httpStatus === undefined ? "" : `, HTTP status ${error.httpStatus}`}. ${prose(error.description)}`,
    error.hint === undefined ? "" : `**What to do:** ${prose(error.hint)}`,
    data === "" ? "" : `\`data\`:\n\n${data}`,
    codeBlock("json", jsonText(example)),
    methods.length === 0 ? "" : `Methods: ${methods.join(", ")}.`,
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}
