import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handler } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { afterEach, expect, test } from "vitest";
import { formatReport, readCorpora, runCorpus } from "../../src/index.ts";
import { type Fault, faults, withFault } from "./broken-services.ts";
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

async function tinyWith(fault: Fault): Promise<string> {
  return listen(withFault(await createTinyService(apiKey), fault));
}

/** The ids of those cases that fail, of some. */
async function failed(url: string, ids: readonly string[]): Promise<readonly string[]> {
  const { results } = await runCorpus({ url, apiKey, only: ({ id }) => ids.includes(id), timeoutMs: 2000 });
  return results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
}

test("the whole corpus passes on a correct service", async () => {
  const report = await runCorpus({ url: await listen(await createTinyService(apiKey)), apiKey });
  expect(formatReport(report)).toMatch(/^(\d+) of \1 cases pass on http/);
  expect(report.isConformant).toBe(true);
  expect(report.results.length).toBeGreaterThan(120);
}, 60_000);

test.each(faults.map((fault) => [fault.name, fault] as const))("a service that %s is found out", async (_, fault) => {
  expect((await failed(await tinyWith(fault), fault.fails)).toSorted()).toEqual(fault.fails);
});

test("a service that hangs fails in time, and so does one that is not there", async () => {
  const hanging = await listen({ ...(await createTinyService(apiKey)), handle: () => new Promise(() => undefined) });
  expect(await failed(hanging, ["REQ-021"])).toEqual(["REQ-021"]);
  expect(await failed("http://127.0.0.1:1", ["REQ-021"])).toEqual(["REQ-021"]);
});

test("what a step keeps for the next one must be there", async () => {
  const call = { jsonrpc: "2.0", method: "createQueryRun", params: [{ sql: "select 1" }], id: 1 };
  const step = { send: { json: call }, expect: { reply: { id: 1 } }, capture: { id: "/result/queryRun/ID" } };
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [step] } as const;
  const url = await listen(await createTinyService(apiKey));
  const { results } = await runCorpus({ url, apiKey, corpora: [{ title: "", cases: [one] }] });
  expect(results).toMatchObject([{ outcome: "failed", problems: ["there is no /result/queryRun/ID"] }]);
});

test("an expected failure is none, and one that passes is", async () => {
  const expectedFailures = { "EX-004": "not yet" };
  const corpora = (await readCorpora()).slice(0, 1);
  const passing = await listen(await createTinyService(apiKey));
  const unexpected = await runCorpus({ url: passing, apiKey, corpora, expectedFailures });
  expect(unexpected.isConformant).toBe(false);
  expect(formatReport(unexpected)).toContain("EX-004");
  const failing = await tinyWith({ name: "", fails: [], text: "{}" });
  const only = ({ id }: { readonly id: string }): boolean => id === "EX-004";
  const expected = await runCorpus({ url: failing, apiKey, corpora, expectedFailures, only });
  expect(expected.isConformant).toBe(true);
  expect(expected.results[0]?.outcome).toBe("expected-failure");
});

test("a list of expected failures names cases, and no two cases share an id", async () => {
  const nowhere = { url: "http://127.0.0.1:1", apiKey };
  await expect(runCorpus({ ...nowhere, expectedFailures: { "EX-999": "what" } })).rejects.toThrow("EX-999");
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [] } as const;
  await expect(runCorpus({ ...nowhere, corpora: [{ title: "", cases: [one, one] }] })).rejects.toThrow("A");
});
