import { commandLine, curlCommand } from "../../command-line.ts";
import { flagsOf } from "../../flags.ts";
import { jsonText } from "../../layout.ts";
import type { ExampleModel, MethodModel, Model } from "../../model.ts";
import { literal } from "../../typescript/literal.ts";
import { codeBlock, heading, prose } from "./markdown.ts";

/** Returns the section of an example: the call in TypeScript, with the CLI and with curl, and the result. */
export function exampleSection(model: Model, method: MethodModel, example: ExampleModel): string {
  const blocks = [
    heading(3, prose(example.name.charAt(0).toUpperCase() + example.name.slice(1)), example.pointer),
    prose(example.description),
    codeBlock("ts", typeScriptCall(method, example.params)),
    codeBlock("sh", commandLine(method, flagsOf(model, method.params), example.params)),
    codeBlock("sh", curlCommand(method, example.params)),
    ...(example.result === undefined ? [] : ["Result:", codeBlock("json", jsonText(example.result.value))]),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function typeScriptCall({ identifier }: MethodModel, params: unknown): string {
  const start = `const result = await ${identifier}(client, `;
  return [
    `import { createClient, ${identifier} } from "@quern/client";`,
    "",
    'const client = createClient({ url: process.env.QUERN_URL ?? "http://127.0.0.1:8080", apiKey: process.env.QUERN_API_KEY ?? "" });',
    `${start}${literal(params, start.length + 2)});`,
  ].join("\n");
}
