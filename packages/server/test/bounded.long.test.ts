import document from "@quern/spec/openrpc.json" with { type: "json" };
import { expect, it } from "vitest";
import { loadServer } from "./loaded-server.ts";

const standardCodes = [-32700, -32600, -32601, -32602];
const declared = new Set([...standardCodes, ...Object.values(document.components.errors).map(({ code }) => code)]);

// `npm run bench -- event-loop` measures the delays of the event loop.
it("serves twenty clients and one that sends only garbage in bounded memory", async () => {
  const { runs, pages, refusals, memory } = await loadServer();
  const quarter = (number: number) =>
    median(memory.slice((memory.length * (number - 1)) / 4, (memory.length * number) / 4));
  console.log(
    `${runs} runs and ${pages} pages of 100,000 rows; memory by quarter ${[1, 2, 3, 4].map(quarter).join(", ")} MB; refusals ${JSON.stringify([...refusals])}`,
  );
  expect([...refusals.keys()].filter((what) => !declared.has(Number(what)))).toEqual([]);
  expect(runs).toBeGreaterThan(0);
  expect(pages).toBeGreaterThan(0);
  expect(quarter(4)).toBeLessThanOrEqual(1.1 * quarter(2));
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
