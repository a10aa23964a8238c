import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect, it } from "vitest";
import { loadServer } from "./loaded-server.ts";

const standardCodes = [-32700, -32600, -32601, -32602];
const declared = new Set([...standardCodes, ...Object.values(document.components.errors).map(({ code }) => code)]);

// `npm run bench -- event-loop` measures the delays of the event loop.
it("serves twenty clients and one that sends only garbage in bounded memory", async () => {
  const { runs, pages, refusals, memory } = await loadServer(60);
  console.log(
    `${runs} runs and ${pages} pages of 100,000 rows; memory ${memory.join(", ")} MB; refusals ${JSON.stringify([...refusals])}`,
  );
  expect([...refusals.keys()].filter((what) => !declared.has(Number(what)))).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(pages).toBeGreaterThan(0);
  // Caches keep up to 4 MB more at one moment than at another.
  expect(memory[1]).toBeLessThanOrEqual(memory[0] + 8);
});
