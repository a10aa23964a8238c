import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { submission } from "@quern/adapter/contract";
import type { Download, Downloads } from "@quern/duckdb";
import { headersOf } from "@quern/json-rpc/node";
import { createRun } from "@quern/query-run/record";
import { expect, it, onTestFinished } from "vitest";
import { createDownloadRoute, type DownloadRouteDependencies } from "../../src/downloads/download-route.ts";
import { createLinkSigner } from "../../src/downloads/link.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

/**
 * Requests a link whose download writes two bytes. `seen` has the bytes that were counted, then `end`.
 * @param use marks the link as used; it can end the writing, which otherwise ends after the headers of the response.
 *   @default the link is not for single use
 */
async function answered(written: () => Promise<void>, use?: (endWriting: () => void) => Promise<boolean>) {
  const deps = createDependencies(() => {}, {
    open: async () => ({ paths: ["first", "second"], release: async () => {} }),
  });
  const result = { columns: [], rowCount: 1, totalBytes: 2 };
  const run = { ...createRun(submission().run, deps.clock.now()), state: "QUERY_STATE_SUCCESS" as const, result };
  const links = createLinkSigner(async () => new Uint8Array(32));
  const seen: unknown[] = [];
  const wanted: string[] = [];
  const answering = Promise.withResolvers<void>();
  const download: Download = {
    pid: 0,
    read: async (onChunk) => onChunk(Buffer.from("a\n"), () => {}),
    written: answering.promise.then(written),
    end: async () => void seen.push("end"),
  };
  const dependencies = {
    ...deps,
    links,
    store: {
      ...deps.store,
      runs: { ...deps.store.runs, run: async () => run },
      links: { isUsed: async () => false, use: () => use?.(answering.resolve) },
    },
    downloads: {
      open: async (_, { paths }) => {
        wanted.push(...paths);
        return download;
      },
      close: async () => {},
    } satisfies Downloads,
    telemetry: { read: (_: unknown, __: unknown, bytes: number) => seen.push(bytes), refused: () => {} },
  } as unknown as DownloadRouteDependencies; // the route uses no other member
  const route = createDownloadRoute(dependencies, { log: deps.log, headersOf, allowedOrigins: undefined });
  const server = createServer((request, response) => void route(request, response)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // an address on a port
  const reader = { tenantId: "t", userId: "u", keyId: null };
  const token = await links.token({
    ...(use && { id: "single" }),
    runId: run.id,
    format: "csv",
    expiresAt: deps.clock.now() + 1_000,
    reader,
  } as never);
  const sent = get(`http://127.0.0.1:${port}/results/${token}`);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  answering.resolve();
  return { response, seen, wanted, logged: deps.logged };
}

it("ends a response after the whole result was written", async () => {
  const { response, seen, wanted, logged } = await answered(async () => {});
  expect(await text(response)).toBe("a\n");
  expect(wanted).toEqual(["first", "second"]);
  await expect.poll(() => seen).toEqual([2, "end"]);
  expect(logged).toEqual([]);
});

it("aborts a response whose result could not be written, also after the last byte", async () => {
  const { response, seen, logged } = await answered(() => Promise.reject(new Error("the file is short")));
  await expect(text(response)).rejects.toThrow("aborted");
  await expect.poll(() => seen).toEqual([2, "end"]);
  expect(logged).toEqual([expect.stringMatching(/^the result of .* could not be downloaded$/)]);
});

it("says that the disk is full if the use of a link cannot be stored", async () => {
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const { response, seen, logged } = await answered(
    async () => {},
    () => Promise.reject(full),
  );
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "10"]);
  expect(JSON.parse(await text(response))).toMatchObject({ error: { code: -32177 } });
  await expect.poll(() => seen).toEqual(["end"]);
  expect(logged).toEqual([]);
});

it.each([
  ["is sent", true, "a\n"],
  ["is refused", false, "Used link; request a new one"],
])("a download that ends while its link is marked as used marks it once, and %s", async (_, isFirst, body) => {
  let uses = 0;
  const { response, seen } = await answered(
    async () => {},
    async (endWriting) => {
      uses += 1;
      endWriting();
      await new Promise((resolve) => setImmediate(resolve));
      return isFirst && uses === 1;
    },
  );
  expect(await text(response)).toContain(body);
  await expect.poll(() => seen).toContain("end");
  expect(uses).toBe(1);
});
