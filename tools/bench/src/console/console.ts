import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { bounded, median } from "../measure.ts";
import { type Service, startService } from "../service.ts";
import { type FirstLoad, growthOf, loadFirst, type SqlPage } from "./page.ts";
import { type Play, startPlay } from "./play.ts";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const LOADS = 9;
/** The first is enough for the page to be warm. */
const RUNS = [20, 200] as const;

/** Figures of a page. */
interface Figures {
  readonly gzip: number;
  readonly interactiveMs: number;
  readonly runMs: number;
  readonly warmMegabytes: number;
  readonly heapMegabytes: number;
}

/**
 * Loads the console in Chromium and makes 200 runs in it; beside ClickHouse's page `/play`, if the machine has it. DuckDB
 * UI loads its files from its maker's server, and its makers publish no figures.
 */
export async function consolePages(): Promise<void> {
  const executablePath = [process.env.CHROMIUM ?? "", ...PATHS].find((path) => existsSync(path));
  if (executablePath === undefined) return console.log("no Chromium on this machine");
  await using service = await startService();
  const play = await startPlay();
  await using peer = "lacks" in play ? undefined : play;
  if ("lacks" in play) console.log(`without ClickHouse's /play: the machine lacks ${play.lacks}`);
  console.log("without DuckDB UI: it loads its files from the server of its maker, and no figures of it were found");
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  await using browser = await chromium.launch({ executablePath, args });

  const pages = [consolePage(service), ...(peer === undefined ? [] : [playPage(peer)])];
  const loads = new Map<SqlPage, FirstLoad[]>(pages.map((page) => [page, []]));
  // In turns, so that other load on the machine affects both.
  for (let round = 0; round < LOADS; round += 1)
    for (const page of pages) loads.get(page)?.push(await loadFirst(browser, page));
  const figures: Figures[] = [];
  for (const page of pages) {
    const growth = await growthOf(browser, page, RUNS);
    figures.push(report(page, loads.get(page) ?? [], growth));
  }
  const [ours, theirs] = figures;
  if (ours === undefined) return;
  bounded({ what: "console, first load, gzip", value: ours.gzip / 1000, atMost: 250, unit: " kB" });
  bounded({
    what: "console, heap after 200 runs / after 20",
    value: ours.heapMegabytes / ours.warmMegabytes,
    atMost: 1.5,
  });
  if (theirs === undefined) return;
  console.log(
    `console / play: first load ${(ours.gzip / theirs.gzip).toFixed(1)} x, ` +
      `time to interactive ${(ours.interactiveMs / theirs.interactiveMs).toFixed(2)} x, ` +
      `a run ${(ours.runMs / theirs.runMs).toFixed(2)} x, ` +
      `heap after 200 runs ${(ours.heapMegabytes / theirs.heapMegabytes).toFixed(2)} x`,
  );
}

function report({ name }: SqlPage, loads: readonly FirstLoad[], growth: Awaited<ReturnType<typeof growthOf>>): Figures {
  const [warm, last] = growth;
  const { requests = 0, bytes = 0, gzip = 0 } = loads.at(-1) ?? {};
  const interactiveMs = median(loads.map(({ ms }) => ms));
  const runMs = median(last?.ms ?? []);
  const [warmMegabytes, heapMegabytes] = [warm?.heapMegabytes ?? Number.NaN, last?.heapMegabytes ?? Number.NaN];
  console.log(
    `${name}\n  first load: ${requests} requests, ${(bytes / 1000).toFixed(0)} kB, ${(gzip / 1000).toFixed(1)} kB gzip\n` +
      `  time to interactive, median of ${loads.length}: ${interactiveMs.toFixed(0)} ms\n` +
      `  a run of 1,000 rows, from the key to its rows, median: ${runMs.toFixed(0)} ms\n` +
      `  heap: ${growth.map(({ runs, heapMegabytes: megabytes }) => `${megabytes.toFixed(1)} MB after ${runs} runs`).join(", ")}; ` +
      `nodes: ${growth.map(({ nodes }) => nodes).join(", ")}`,
  );
  return { gzip, interactiveMs, runMs, warmMegabytes, heapMegabytes };
}

function consolePage({ url, apiKey }: Service): SqlPage {
  const credential = JSON.stringify({ kind: "apiKey", value: apiKey, scope: "bench" });
  return {
    name: "Quern console",
    url: `${url}/console/`,
    editor: ".cm-content",
    async prepare(context) {
      await context.addInitScript(`sessionStorage.setItem("quern.console.credential", ${JSON.stringify(credential)})`);
    },
    async run(page, sql) {
      const before = await page.evaluate(() => document.querySelector(".run-id")?.textContent);
      await type(page, ".cm-content", sql);
      await page.waitForFunction(
        (id) =>
          document.querySelector(".run-id")?.textContent !== id && document.querySelector("[role=gridcell]") !== null,
        before,
      );
    },
    statement: (number) => `select i + ${number} as i, 'text ' || i as t, i / 7 as d from range(1000) r(i)`,
  };
}

function playPage({ url }: Play): SqlPage {
  return {
    name: "ClickHouse /play",
    url,
    editor: "#query",
    prepare: async () => {},
    async run(page, sql) {
      await type(page, "#query", sql);
      await page.locator("#check-mark").waitFor({ state: "visible" });
      await page.locator("#data-table td").first().waitFor();
    },
    statement: (number) =>
      `select number + ${number} as i, 'text ' || toString(number) as t, number / 7 as d from numbers(1000)`,
  };
}

async function type(page: Page, editor: string, sql: string): Promise<void> {
  await page.locator(editor).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(sql);
  await page.keyboard.press("ControlOrMeta+Enter");
}
