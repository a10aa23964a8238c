import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyTree, type Outcome } from "./support/tree-copy.ts";
import { writeUser } from "./support/user-package.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const tree = copyTree();
afterAll(() => tree[Symbol.dispose]());

/** Aborts a query whose run has begun, and prints the requests and the outcome of the query. */
const program = `import { createClient, type QuernError, query } from "@quern/client";

const sent: string[] = [];
const quit = new AbortController();
const client = createClient({
  url: "http://127.0.0.1:1",
  async fetch(_url, { body }) {
    const { id, method } = JSON.parse(body);
    sent.push(method);
    const queryRun = { id: "a", state: "QUERY_STATE_RUNNING" };
    if (method === "getQueryRun") quit.abort();
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: { queryRequest: { id: "b", queryRunId: "a" }, queryRun } });
    return { status: 200, headers: new Headers(), text: async () => text };
  },
});
const ended = await query(client, { sql: "select 1" }, { signal: quit.signal }).catch(({ kind }: QuernError) => kind);
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(JSON.stringify({ ended, sent }));
`;

let generated: Outcome;
let compiled: Outcome;

interface Linked {
  readonly name: string;
  readonly links?: readonly { readonly method: string }[];
}

beforeAll(async () => {
  const removed = "cancelQueryRun";
  const spec = JSON.parse(tree.read("spec/openrpc.json"));
  const methods: readonly Linked[] = spec.methods;
  spec.methods = methods
    .filter(({ name }) => name !== removed)
    .map(({ links, ...method }) => ({
      ...method,
      ...(links && { links: links.filter((link) => link.method !== removed) }),
    }));
  delete spec.components.schemas.CancelQueryRunParams;
  delete spec.components.schemas.CancelQueryRunResult;
  tree.write("spec/openrpc.json", JSON.stringify(spec));
  generated = await tree.run(main, "--spec", join(tree.root, "spec/openrpc.json"), "--out", tree.root);
  writeUser(tree, { "abort.ts": program });
  compiled = await tree.compile("protocol", "client", "user");
}, 120_000); // compiles three packages

describe("a document without the method that cancels", () => {
  it("generates a client that compiles with no line changed by hand", () => {
    expect(generated).toMatchObject({ status: 0 });
    expect(compiled).toEqual({ status: 0, output: "" });
  });

  it("leaves the run of an aborted query to the service", async () => {
    const { output } = await tree.run("packages/user/dist/abort.js");
    expect(JSON.parse(output)).toEqual({ ended: "aborted", sent: ["createQueryRun", "getQueryRun"] });
  });
});
