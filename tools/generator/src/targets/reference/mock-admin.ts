import { jsonText } from "../../layout.ts";
import type { MethodModel, Model } from "../../model.ts";
import { mockAdminName, type OutputFile } from "../../output-file.ts";
import { schemaNamed } from "../../schema-lookup.ts";
import { codeBlock, heading, page, prose, table } from "./markdown.ts";
import { membersTable } from "./members.ts";
import { typeBlocks } from "./types.ts";

const section = (level: number, text: string, pointer: string) => heading(level, text, pointer, mockAdminName);

/** Generates the page of the mock's admin API, with its types and errors, because nothing else uses them. */
export function mockAdminPage(model: Model): OutputFile {
  const ofMethods = new Set(model.methods.flatMap(({ params, result }) => [params, result]));
  const types = model.schemas.filter(({ name }) => !ofMethods.has(name));
  const blocks = [
    section(1, prose(model.title), "/info"),
    prose(model.description),
    ...model.methods.flatMap((method) => methodBlocks(model, method)),
    section(2, "Types", "/components/schemas"),
    ...types.flatMap(({ name, schema }) => [section(3, name, schema.pointer), ...typeBlocks(model, schema)]),
    section(2, "Errors", "/components/errors"),
    table(
      ["Code", "Name", "Message"],
      model.errors.map(({ code, name, message }) => [`\`${code}\``, name, prose(message)]),
    ),
  ];
  return { path: "mock-admin.md", text: page(blocks, mockAdminName) };
}

function methodBlocks(model: Model, method: MethodModel): readonly string[] {
  const result = schemaNamed(model, method.result);
  const codes = method.errors.map(({ code, name }) => `${name} (\`${code}\`)`);
  return [
    section(2, method.name, method.pointer),
    prose(method.summary),
    prose(method.description),
    "`params` is an array of one object:",
    membersTable(model, schemaNamed(model, method.params), "", "Required") || "The object has no members.",
    `Result: ${prose(result.description ?? "")}`,
    membersTable(model, result, ""),
    `Errors: ${codes.join(", ")}.`,
    ...method.examples.flatMap(({ name, pointer, description, params, result: answer }) => [
      section(3, prose(name.charAt(0).toUpperCase() + name.slice(1)), pointer),
      prose(description),
      codeBlock("json", jsonText({ jsonrpc: "2.0", id: 1, method: method.name, params: [params] })),
      ...(answer === undefined ? [] : ["Result:", codeBlock("json", jsonText(answer.value))]),
    ]),
  ];
}
