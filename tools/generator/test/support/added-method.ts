/** Method that is not in the document, with a dotted name and inline schemas, as a user would add it. */
export const addedMethod = {
  name: "sources.list",
  summary: "List data sources.",
  description: "Lists the data sources that a key may use.",
  paramStructure: "by-position",
  "x-read-only": true,
  "x-tool": {
    name: "list_sources",
    title: "List data sources",
    description: "Lists data sources.",
    hints: { readOnly: true, destructive: false, openWorld: false },
    params: { begin: { member: "/prefix" }, limit: { member: "/limit", maximum: 50 } },
    result: { sources: "/names" },
  },
  params: [
    {
      name: "request",
      required: true,
      schema: {
        type: "object",
        description: "Which sources to list.",
        properties: {
          prefix: { type: "string", description: "Only names that begin so.", minLength: 1 },
          limit: {
            type: "integer",
            description: "Most names to return.",
            minimum: 1,
            maximum: 100,
            default: 10,
            "x-unit": "names",
          },
        },
        required: ["prefix"],
        additionalProperties: false,
      },
    },
  ],
  result: {
    name: "result",
    schema: {
      type: "object",
      description: "The sources found.",
      properties: { names: { type: "array", items: { type: "string" }, description: "Their names, sorted." } },
      required: ["names"],
    },
  },
  errors: [{ code: -32090, message: "Catalog is closed" }],
  examples: [
    {
      name: "one letter",
      description: "All sources in s.",
      params: [{ name: "request", value: { prefix: "s" } }],
      result: { name: "result", value: { names: ["samples", "sales"] } },
    },
  ],
};

/** Typed calls of the added method. Each program prints the answer as JSON. */
export const programs = {
  "client.ts": `import { createClient, isErrorOf, type QuernError, sourcesList } from "@quern/client";
import { createMockServer } from "@quern/mock-server";

const mock = createMockServer();
const client = createClient({ url: mock.url, apiKey: mock.apiKey, fetch: mock.fetch });
const { names } = await sourcesList(client, { prefix: "s", limit: 2 });
const first: string | undefined = names[0];
// @ts-expect-error the parameter is required
const refusal: unknown = await sourcesList(client, {}).catch((error: QuernError) => error.code);
const code = (error: unknown): -32090 | undefined => (isErrorOf(sourcesList, error) ? error.code : undefined);
console.log(JSON.stringify({ names, first, refusal, other: code(new Error()) ?? null }));
`,
  "cli.ts": `import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";

const mock = createMockServer();
await using server = await listen(mock);
const env = { ...process.env, QUERN_URL: server.url, QUERN_API_KEY: mock.apiKey };
const quern = (...args: string[]) => promisify(execFile)(process.execPath, ["packages/cli/bin/quern.js", ...args], { env });
const { stdout } = await quern("sources-list", "--prefix", "s");
const help = await quern("sources-list", "--help");
console.log(JSON.stringify({ answer: JSON.parse(stdout), help: help.stdout }));
`,
  "dom.ts": `import { Window } from "happy-dom";

const window = new Window();
Object.assign(globalThis, { window, document: window.document });
`,
  "hook.tsx": `import "./dom.ts";
import { createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { QuernProvider, sourcesListOptions, useMethod } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";

function Names() {
  const { data } = useMethod(sourcesListOptions, { prefix: "s" });
  const names: readonly string[] | undefined = data?.names;
  return <p>{names?.join(" and ") ?? "waiting"}</p>;
}

const mock = createMockServer();
const client = createClient({ url: mock.url, apiKey: mock.apiKey, fetch: mock.fetch });
const root = createRoot(document.body);
root.render(
  <QueryClientProvider client={new QueryClient()}>
    <QuernProvider client={client}>
      <Names />
    </QuernProvider>
  </QueryClientProvider>,
);
const deadline = Date.now() + 10_000;
while (document.body.textContent !== "samples and sales" && Date.now() < deadline)
  await new Promise((resolve) => setTimeout(resolve, 5));
console.log(JSON.stringify(document.body.textContent));
root.unmount();
process.exit();
`,
};

/** Lists the tools of the MCP server with the client of its SDK, and calls that of the added method. */
export const agentProgram = `import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createClient } from "@quern/client";
import { createMcpServer } from "@quern/mcp";
import { createMockServer } from "@quern/mock-server";

const client = createClient({ ...createMockServer() });
const call = (method, params, signal) => client.call(method, params, { signal });
const [near, far] = InMemoryTransport.createLinkedPair();
const agent = new Client({ name: "agent", version: "1.0.0" });
await Promise.all([createMcpServer({ call }).connect(far), agent.connect(near)]);
const { tools } = await agent.listTools();
const { structuredContent } = await agent.callTool({ name: "list_sources", arguments: { begin: "s" } });
console.log(JSON.stringify({ tool: tools.find(({ name }) => name === "list_sources"), structuredContent }));
await agent.close();
`;
