import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect, it } from "vitest";
import { loadServer } from "./loaded-server.ts";

const standardCodes = [-32700, -32600, -32601, -32602];
const declared = new Set([...standardCodes, ...Object.values(document.components.errors).map(({ code }) => code)]);

// `npm run bench -- event-loop` measures the delays of the event loop.
it("serves twenty clients and one that sends only garbage in bounded memory", async () => {
  const { runs, pages, refusals, memory } = await loadServer(40);
  console.log(
    `${runs} runs and ${pages} pages of 100,000 rows; memory ${memory.join(", ")} MB; refusals ${JSON.stringify([...refusals])}`,
  );
  expect([...refusals.keys()].filter((what) => !declared.has(Number(what)))).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(pages).toBeGreaterThan(0);
  // Halves: what a single sample has of the large pages differs by up to 15 MB from the next one's.
  const half = memory.length / 2;
  expect(median(memory.slice(half))).toBeLessThanOrEqual(1.1 * median(memory.slice(0, half)));
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
