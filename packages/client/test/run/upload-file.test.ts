import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient, query, rowsOf, uploadFile } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiKey, startServer, type TestServer } from "../../../server/test/fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ limits: { maxUploadBytes: 1_000_000 } });
});
afterAll(() => server[Symbol.asyncDispose]());

const csv = "region,n\nnorth,1\nsouth,2\n";
const sql = "select sum(n)::int as n from mine";

async function* parts() {
  for (const part of csv.match(/[\s\S]{1,5}/g) ?? []) yield Buffer.from(part);
}

it("uploads bytes, a blob and streams, by node:http and by fetch", async () => {
  const uploads: Record<string, string> = {};
  for (const [name, fetch] of [
    ["node", undefined],
    ["fetch", globalThis.fetch],
  ] as const) {
    const client = createClient({ url: server.url, apiKey, fetch });
    for (const [at, file] of [Buffer.from(csv), new Blob([csv]), parts(), new Blob([csv]).stream()].entries())
      uploads[`${name}_${at}`] = await uploadFile(client, file, { format: "csv" });
  }
  const names = Object.keys(uploads);
  expect(names).toHaveLength(8);
  const all = names.map((name) => `select n from ${name}`).join(" union all ");
  const client = createClient({ url: server.url, apiKey });
  const result = await query(client, { sql: `select sum(n)::int as n, count(*)::int as c from (${all})`, uploads });
  expect(await Array.fromAsync(rowsOf(result))).toEqual([{ n: 24, c: 16 }]);
});

it("says why a file is refused or was cut, and stops with its signal", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  const client = createClient({ url: server.url, apiKey, retries: 0 });
  const large = { format: "csv", bytes: 1_000_001 } as const;
  await expect(uploadFile(client, parts(), large)).rejects.toMatchObject({ kind: "rpc", code: -32602 });
  async function* endless() {
    for (;;) yield new Uint8Array(65_536);
  }
  await expect(uploadFile(client, endless(), { format: "csv" })).rejects.toMatchObject({
    kind: expect.stringMatching(/^(http|network)$/),
    message: expect.stringMatching(/^createUpload: upload/),
  });
  const aborting = new AbortController();
  // A request that waits for its socket many times has no more listeners than one that does so once.
  expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([]);
  process.off("warning", onWarning);
  async function* waiting() {
    yield Buffer.from("n\n");
    aborting.abort();
    await new Promise(() => {});
  }
  const options = { format: "csv", signal: aborting.signal } as const;
  await expect(uploadFile(client, waiting(), options)).rejects.toMatchObject({ kind: "aborted" });
  // A service without uploads.
  await using old = await oldService();
  await expect(uploadFile(createClient({ url: old.url, apiKey }), parts(), { format: "csv" })).rejects.toMatchObject({
    code: -32601,
  });
  const uploads = { mine: await uploadFile(client, Buffer.from(csv), { format: "csv" }) };
  await expect(query(client, { sql: `${sql}, unknown`, uploads })).rejects.toMatchObject({ kind: "failed" });
});

async function oldService() {
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { id } = JSON.parse(body);
    const error = { code: -32601, message: "Method not found" };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void http.close() };
}
