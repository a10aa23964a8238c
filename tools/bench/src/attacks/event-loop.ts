import { loadServer } from "../../../../packages/server/test/loaded-server.ts";
import { bounded } from "../measure.ts";

/**
 * Measures the delay of the event loop of the service under twenty clients and one that sends only garbage, without and
 * with pages of 100,000 rows.
 */
export async function eventLoop(): Promise<void> {
  const { runs, pages, delays } = await loadServer(400);
  console.log(
    `${runs} runs, ${pages} pages of 100,000 rows; delay of the event loop (p99) ${delays.without.toFixed(1)} ms without pages, ${delays.pages.toFixed(1)} ms with them`,
  );
  bounded({ what: "delay with pages / without", value: delays.pages / delays.without, atMost: 2 });
}
