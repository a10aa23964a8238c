import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addedMethod, agentProgram, programs } from "./support/added-method.ts";
import { copyTree, type Outcome } from "./support/tree-copy.ts";
import { writeUser } from "./support/user-package.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const tree = copyTree();
afterAll(() => tree[Symbol.dispose]());

let generated: Outcome;
let compiledServer: Outcome;
let compiled: Outcome;

beforeAll(async () => {
  const spec = JSON.parse(tree.read("spec/openrpc.json"));
  spec.methods.push(addedMethod);
  tree.write("spec/openrpc.json", JSON.stringify(spec));
  generated = await tree.run(main, "--spec", join(tree.root, "spec/openrpc.json"), "--out", tree.root);
  writeUser(tree, programs);
  compiled = await tree.compile("protocol", "query-run", "client", "mock-server", "query-options", "react", "mcp");
  compiledServer = await tree.compile("server");
}, 120_000); // generates and compiles seven packages

describe("a method added to the document", () => {
  it("is generated, and all but the service compiles with no line by hand", async () => {
    expect(generated).toMatchObject({ status: 0 });
    expect(compiled).toEqual({ status: 0, output: "" });
  });

  it("keeps the service from compiling until the service performs it", async () => {
    expect(compiledServer.status).not.toBe(0);
    expect(compiledServer.output).toMatch(/handlers\.ts.*"sources\.list".* is missing in type/);
    const handlers = "packages/server/src/handlers/handlers.ts";
    const performed = `  return {\n    "sources.list": async ({ prefix }) => ({ names: [prefix] }),\n`;
    tree.write(handlers, tree.read(handlers).replace("  return {\n", performed));
    const scopes = "packages/server/src/handlers/permission.ts";
    tree.write(scopes, tree.read(scopes).replace('  getQueryRun: "read",\n', '$&  "sources.list": "read",\n'));
    expect(await tree.compile("server")).toEqual({ status: 0, output: "" });
  }, 60_000); // compiles the service

  it("is called by client, command line and a rendered hook, with its types, and answered by the mock", async () => {
    expect(await tree.compile("cli", "user")).toEqual({ status: 0, output: "" });
    const programs = ["client.js", "cli.js", "hook.js"].map((file) => tree.run(`packages/user/dist/${file}`));
    const [client, cli, hook] = (await Promise.all(programs)).map(({ output }) => JSON.parse(output));
    const names = ["samples", "sales"];
    expect(client).toEqual({ names, first: "samples", refusal: -32602, other: null });
    expect(cli).toEqual({
      answer: { names },
      help: expect.stringMatching(/--prefix[\s\S]*Only names that begin so\./),
    });
    expect(hook).toBe("samples and sales");
  }, 60_000); // compiles the command line, and starts three programs

  it("is a tool of agents, by its member x-tool", async () => {
    tree.write("packages/mcp/agent.js", agentProgram);
    const { output } = await tree.run("packages/mcp/agent.js");
    expect(JSON.parse(output)).toMatchObject({
      tool: {
        title: "List data sources",
        annotations: { readOnlyHint: true },
        inputSchema: {
          properties: {
            begin: { type: "string", description: "Only names that begin so." },
            limit: { minimum: 1, maximum: 50, default: 10 },
          },
          required: ["begin"],
        },
        outputSchema: { properties: { sources: { type: "array" } } },
      },
      structuredContent: { sources: ["samples", "sales"] },
    });
  });

  it("stands in the reference", () => {
    expect(tree.read("docs/reference/README.md")).toContain("[sources.list](methods/sources-list.md)");
    const page = tree.read("docs/reference/methods/sources-list.md");
    expect(page).toContain(
      "| `limit` | integer | no | Most names to return. Unit: names. From 1 to 100. Default: 10. |",
    );
    expect(page).toContain("quern sources-list --prefix s");
    expect(tree.read("docs/reference/errors.md")).toContain("## CatalogIsClosed");
  });

  it("stands in the corpus", () => {
    const { cases } = JSON.parse(tree.read("spec/conformance/generated/sources-list.json"));
    const ids = cases.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        "sources-list/example/one-letter",
        "sources-list/prefix/missing",
        "sources-list/limit/above-maximum",
      ]),
    );
  });
});
