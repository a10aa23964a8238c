import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handler, Reply } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { afterEach, expect, test } from "vitest";
import { type Corpus, formatReport, readCorpora, runCorpus } from "../../src/index.ts";
import { createTinyService } from "./tiny-service.ts";

const apiKey = "tiny-key";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(handler: Handler): Promise<string> {
  const server = createServer(createRequestListener(handler)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// biome-ignore lint/suspicious/noExplicitAny: a broken server may do anything to its answer
type Alter = (answer: any, reply: Reply) => unknown;

/** The tiny service with its answers altered: `undefined` leaves one as it is. */
async function broken(alter: Alter): Promise<string> {
  const handler = await createTinyService(apiKey);
  return listen({
    ...handler,
    async handle(body, headers, signal) {
      const reply = await handler.handle(body, headers, signal);
      const altered = alter(reply.body === null ? undefined : JSON.parse(Buffer.from(reply.body).toString()), reply);
      if (altered === undefined) return reply;
      const text = typeof altered === "string" ? altered : JSON.stringify(altered);
      return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(text) };
    },
  });
}

async function failedIds(
  url: string,
  only: readonly string[],
  corpora?: readonly Corpus[],
): Promise<readonly string[]> {
  const report = await runCorpus({
    url,
    apiKey,
    only: ({ id }) => only.includes(id),
    corpora: corpora ?? (await readCorpora()),
    timeoutMs: 2000,
  });
  return report.results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
}

test("the whole corpus passes on a correct service", async () => {
  const report = await runCorpus({ url: await listen(await createTinyService(apiKey)), apiKey });
  expect(formatReport(report)).toMatch(/^(\d+) of \1 cases pass on http/);
  expect(report.isConformant).toBe(true);
  expect(report.results.length).toBeGreaterThan(120);
}, 60_000);

test.each([
  [
    "gives ids back as texts",
    ["REQ-001"],
    (answer) => (typeof answer?.id === "number" ? { ...answer, id: `${answer.id}` } : undefined),
  ],
  ["rounds large ids", ["REQ-008"], (answer) => (answer?.id > Number.MAX_SAFE_INTEGER ? answer : undefined)],
  [
    "answers notifications",
    ["NOT-034", "BAT-072", "EX-003"],
    (_, reply) =>
      reply.status === 204 ? { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no" } } : undefined,
  ],
  [
    "loses a member of a batch",
    ["BAT-064", "BAT-073", "BAT-076"],
    (answer) => (Array.isArray(answer) ? answer.slice(1) : undefined),
  ],
  [
    "answers a member twice",
    ["BAT-065", "BAT-064"],
    (answer) => (Array.isArray(answer) ? [...answer, answer[0]] : undefined),
  ],
  [
    "answers [] to an empty batch",
    ["BAT-066", "EX-008"],
    (answer) => (answer?.error?.message.includes("batch") ? [] : undefined),
  ],
  ["forgets the version", ["REQ-001"], (answer) => (answer?.id === 1 ? { id: 1, result: answer.result } : undefined)],
  ["sends result and error", ["REQ-001"], (answer) => (answer?.result ? { ...answer, error: null } : undefined)],
  [
    "invents runs",
    ["ORPC-103"],
    (answer) => (answer?.error?.code === -32099 ? { jsonrpc: "2.0", id: answer.id, result: {} } : undefined),
  ],
  [
    "makes up codes",
    ["REQ-021", "ERR-050"],
    (answer) => (answer?.error ? { ...answer, error: { ...answer.error, code: -32500 } } : undefined),
  ],
  [
    "answers what the schema excludes",
    ["ORPC-101"],
    (answer) => (answer?.result ? { ...answer, result: { ...answer.result, queryRun: { state: 1 } } } : undefined),
  ],
  [
    "leaves the data of an error out",
    ["ORPC-103"],
    (answer) => (answer?.error ? { ...answer, error: { code: answer.error.code, message: "lost" } } : undefined),
  ],
  ["answers HTML", ["ERR-050", "REQ-001"], () => "<html>"],
  [
    "hides another document",
    ["ORPC-097"],
    (answer) => (answer?.result?.openrpc ? { ...answer, result: { openrpc: "1.3.2" } } : undefined),
  ],
] satisfies [string, string[], Alter][])("a service that %s fails %j", async (_, ids, alter) => {
  expect([...(await failedIds(await broken(alter), ids))].sort()).toEqual([...ids].sort());
});

test("a service that hangs fails in time, and so does one that is not there", async () => {
  const hanging = await listen({ ...(await createTinyService(apiKey)), handle: () => new Promise(() => undefined) });
  expect(await failedIds(hanging, ["REQ-021"])).toEqual(["REQ-021"]);
  expect(await failedIds("http://127.0.0.1:1", ["REQ-021"])).toEqual(["REQ-021"]);
});

test("an expected failure is none, and one that passes is", async () => {
  const url = await listen(await createTinyService(apiKey));
  const [corpus] = await readCorpora();
  const options = { url, apiKey, corpora: corpus === undefined ? [] : [corpus] };
  const unexpected = await runCorpus({ ...options, expectedFailures: { "EX-004": "not yet" } });
  expect(unexpected.isConformant).toBe(false);
  expect(formatReport(unexpected)).toContain("EX-004");
  const expected = await runCorpus({
    ...options,
    url: await broken(() => "{}"),
    only: ({ id }) => id === "EX-004",
    expectedFailures: { "EX-004": "not yet" },
  });
  expect(expected.isConformant).toBe(true);
  expect(expected.results[0]?.outcome).toBe("expected-failure");
  await expect(runCorpus({ ...options, expectedFailures: { "EX-999": "what" } })).rejects.toThrow("EX-999");
});

test("a corpus in which two cases share an id is refused", async () => {
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [] } as const;
  await expect(
    runCorpus({ url: "http://127.0.0.1:1", apiKey, corpora: [{ title: "", cases: [one, one] }] }),
  ).rejects.toThrow("A");
});
