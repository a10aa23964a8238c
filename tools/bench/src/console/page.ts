import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

/** A page for SQL, and how a user works with it. */
export interface SqlPage {
  readonly name: string;
  readonly url: string;
  /** Prepares the browser, e.g. with a credential. */
  prepare(context: BrowserContext): Promise<void>;
  /** Selector of the element that takes the statement. */
  readonly editor: string;
  /** Runs a statement by the keyboard, and waits until its rows are shown. */
  run(page: Page, sql: string): Promise<void>;
  /** Returns a statement with a thousand rows, another one for each number. */
  statement(number: number): string;
}

/** First load of a page. */
export interface FirstLoad {
  readonly requests: number;
  readonly bytes: number;
  readonly gzip: number;
  readonly ms: number;
}

/** Loads a page with an empty cache, until its editor takes text and the main thread is idle. */
export async function loadFirst(browser: Browser, { url, prepare, editor }: SqlPage): Promise<FirstLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await prepare(context);
  const page = await context.newPage();
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    // Answers to calls are no part of the page.
    if (response.request().method() === "GET") bodies.push(response.body().catch(() => Buffer.alloc(0)));
  });
  const start = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(editor).focus();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  const ms = performance.now() - start;
  const read = await Promise.all(bodies);
  await context.close();
  return {
    requests: read.length,
    bytes: read.reduce((sum, { length }) => sum + length, 0),
    gzip: read.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0),
    ms,
  };
}

/** Memory of a page after some runs, and the time of the runs between. */
export interface Growth {
  readonly runs: number;
  readonly heapMegabytes: number;
  readonly nodes: number;
  readonly ms: readonly number[];
}

/** Runs statements one after the other in a page. Returns its memory after each of the counts. */
export async function growthOf(browser: Browser, sqlPage: SqlPage, counts: readonly number[]): Promise<Growth[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await sqlPage.prepare(context);
  const page = await context.newPage();
  await page.goto(sqlPage.url);
  await page.locator(sqlPage.editor).waitFor();
  const session = await context.newCDPSession(page);
  const growth: Growth[] = [];
  let done = 0;
  for (const runs of counts) {
    const ms: number[] = [];
    for (; done < runs; done += 1) {
      const start = performance.now();
      await sqlPage.run(page, sqlPage.statement(done));
      ms.push(performance.now() - start);
    }
    growth.push({ runs, ms, ...(await memoryOf(session)) });
  }
  await context.close();
  return growth;
}

async function memoryOf(session: CDPSession): Promise<{ heapMegabytes: number; nodes: number }> {
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  return { heapMegabytes: metric("JSHeapUsedSize") / 1e6, nodes: metric("Nodes") };
}
