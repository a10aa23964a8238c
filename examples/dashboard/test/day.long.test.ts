import { join } from "node:path";
import { listQueryRuns, type QueryRun, query } from "@quern/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { executablePath, openBrowser } from "./browser.ts";
import { type PageServer, startPage } from "./page-server.ts";

const patience = { timeout: 300_000, interval: 100 };
const UNFINISHED: readonly string[] = ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];
const ROWS = 5000;
const SLOW_SECONDS = 14;

/** Returns a statement that hashes `work` numbers and then returns the numbers from 0. */
const numbers = (work: number) => `with work as (select sum(hash(i)) as done from range(${work}) t(i))
select n, n % 7 as k from range(${ROWS}) r(n), work where done is not null order by n`;

/** Returns a statement that takes about `SLOW_SECONDS` on this machine. */
async function slowStatement({ client }: PageServer): Promise<string> {
  for (let work = 50_000_000; ; work *= 4) {
    const { queryRun } = await query(client, { sql: numbers(work) });
    const seconds = (Date.parse(queryRun.endedAt ?? "") - Date.parse(queryRun.startedAt ?? "")) / 1000;
    if (seconds > 0.7) return numbers(Math.round((work * SLOW_SECONDS) / seconds));
  }
}

if (executablePath === undefined) {
  console.log("test:browser needs a Chromium: install Debian's package chromium, or say where one is in CHROMIUM");
}

describe.skipIf(executablePath === undefined)("a page in use for a day, unless the machine lacks a Chromium", () => {
  let server: PageServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startPage(join(import.meta.dirname, "day"));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const shown = (page: Page) =>
    page
      .locator("li")
      .allTextContents()
      .then((texts) => texts.map(Number));
  const stateOf = async (page: Page) => (await page.locator("#state").textContent()) ?? "";
  const reaches = (page: Page, state: string) =>
    vi.waitFor(async () => {
      const now = await stateOf(page);
      // A state that is not waited for ends the test at once.
      if (now.startsWith("error")) throw Object.assign(new Error(now), { isFinal: true });
      expect(now).toBe(state);
      expect(await page.locator("#state").getAttribute("data-old")).toBe("false");
    }, patience);

  it("goes offline in a slow query, comes back, sorts, filters, scrolls, refreshes, is left and reopened", async () => {
    const sql = await slowStatement(server);
    const known = new Set((await listQueryRuns(server.client, { limit: 100 })).queryRuns.map(({ id }) => id));
    const made = async (): Promise<QueryRun[]> =>
      (await listQueryRuns(server.client, { limit: 100 })).queryRuns.filter(({ id }) => !known.has(id));
    const context = await browser.newContext();
    const page = await context.newPage();
    let creates = 0;
    page.on("request", (request) => {
      creates += request.postData()?.match(/"method":"createQueryRun"/g)?.length ?? 0;
    });
    const states = new Set<string>();
    await page.exposeFunction("seen", (state: string) => states.add(state));
    await page.addInitScript(() => {
      const note = () => Reflect.get(window, "seen")(document.querySelector("#state")?.textContent ?? "");
      new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    });
    const address = `${server.url}?sql=${encodeURIComponent(sql)}`;

    await page.goto(address);
    await reaches(page, "running");
    await context.setOffline(true);
    await new Promise((resolve) => setTimeout(resolve, 9_000));
    await context.setOffline(false);
    await reaches(page, "success");
    const ascending = Array.from({ length: ROWS }, (_, n) => n);
    expect(await shown(page)).toEqual(ascending.slice(0, 1000));
    expect([...states].filter((state) => /error|canceled/.test(state))).toEqual([]);
    expect({ creates, runs: (await made()).length }).toEqual({ creates: 1, runs: 1 });

    await page.getByRole("button", { name: "Sort" }).click();
    await vi.waitFor(async () => expect(await shown(page)).toEqual(ascending.toReversed().slice(0, 1000)), patience);
    const scrollToEnd = () =>
      vi.waitFor(async () => {
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        expect(await page.locator("p").last().textContent()).toBe("end");
      }, patience);
    await scrollToEnd();
    expect(await shown(page)).toEqual(ascending.toReversed());
    await page.getByRole("button", { name: "Filter" }).click();
    const filtered = ascending.toReversed().filter((n) => n % 7 === 3);
    await vi.waitFor(async () => expect(await shown(page)).toEqual(filtered.slice(0, 1000)), patience);
    expect({ creates, runs: (await made()).length }).toEqual({ creates: 1, runs: 1 });

    const before = await page.locator("#state").getAttribute("data-as-of");
    await page.getByRole("button", { name: "Refresh" }).click();
    await reaches(page, "running");
    expect(await shown(page)).toEqual(filtered);
    await reaches(page, "success");
    expect(await shown(page)).toEqual(filtered);
    expect(await page.locator("#state").getAttribute("data-as-of")).not.toBe(before);
    expect({ creates, runs: (await made()).length }).toEqual({ creates: 2, runs: 2 });

    await page.getByRole("button", { name: "Refresh" }).click();
    await reaches(page, "running");
    await page.goto("about:blank");
    await vi.waitFor(async () => {
      const unfinished = (await made()).filter(({ state }) => UNFINISHED.includes(state));
      expect(unfinished).toEqual([]);
    }, patience);
    await page.goto(address);
    await reaches(page, "success");
    expect(await shown(page)).toEqual(ascending.slice(0, 1000));
    await context.close();
    const runs = await made();
    expect({ creates, states: runs.map(({ state }) => state).sort() }).toEqual({
      creates: 4,
      states: ["QUERY_STATE_CANCELED", "QUERY_STATE_SUCCESS", "QUERY_STATE_SUCCESS"],
    });
  });
});
