import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listQueryRuns } from "@quern/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pages, panelsOf } from "../src/pages.ts";
import { accessFaults, countCreates, executablePath, openBrowser, openPage, patience, whenFilled } from "./browser.ts";
import { type PageServer, startPage } from "./page-server.ts";

const panels = panelsOf(pages.samples);
const UNFINISHED = ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];

if (executablePath === undefined) {
  console.log("test:browser needs a Chromium: install Debian's package chromium, or say where one is in CHROMIUM");
}

describe.skipIf(executablePath === undefined)("the dashboard, unless the machine lacks a Chromium", () => {
  let server: PageServer;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    server = await startPage();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const open = (width: number, colorScheme: "light" | "dark"): Promise<Page> =>
    openPage(browser, { width, colorScheme }, complaints);

  it("has many panels", () => {
    expect(panels.length).toBeGreaterThanOrEqual(24);
  });

  it("withdraws what still runs when the page is left", async () => {
    const page = await open(1440, "light");
    const watched = page.waitForRequest((request) => request.postData()?.includes("getQueryRun") ?? false);
    await page.goto(server.url);
    await watched;
    await page.goto("about:blank");
    await vi.waitFor(async () => {
      const { queryRuns } = await listQueryRuns(server.client, { limit: 100 });
      const states = queryRuns.map(({ state }) => state);
      expect(states).toContain("QUERY_STATE_CANCELED");
      expect(states.filter((state) => UNFINISHED.includes(state))).toEqual([]);
    }, patience);
    await page.close();
  });

  it("fills every panel with one run each, and has nothing against it at either width", async () => {
    // Stored outside the temporary directory, so that a developer can open them after the run.
    const shots = fileURLToPath(new URL("../.vitest/screenshots", import.meta.url));
    for (const [width, colorScheme] of [
      [1440, "light"],
      [390, "dark"],
    ] as const) {
      const page = await open(width, colorScheme);
      const creates = countCreates(page);
      await page.goto(server.url);
      await whenFilled(page);
      expect(await page.locator("article").count()).toBe(panels.length);
      expect(await page.locator(".message").allTextContents()).toEqual([]);
      expect(await page.locator(".chart path, .large, td").count()).toBeGreaterThan(panels.length);
      expect(creates()).toBe(panels.length);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      expect(await accessFaults(page)).toEqual([]);
      await page.screenshot({ path: join(shots, `${width}.png`), fullPage: true });
      await page.close();
    }
    console.log(`screenshots: ${shots}`);
    expect(complaints).toEqual([]);
  });

  it("shows a chart's rows by the keyboard alone", async () => {
    const page = await open(1440, "light");
    await page.goto(server.url);
    const button = page.getByRole("button", { name: "Rain through the year as a table", disabled: false });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    expect(await focused()).toBe("Rain through the year, rows");
    await page.close();
  });

  it("keeps the rows that it shows when it asks for newer ones in vain", async () => {
    const page = await open(1440, "light");
    await page.clock.install();
    await page.goto(server.url);
    await whenFilled(page);
    await page.route("**/json-rpc", (route) => route.fulfill({ status: 403, json: {} }));
    await page.clock.fastForward("01:01:00");
    const refused = page.waitForResponse((response) => response.status() === 403);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await (await refused).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.close();
  });

  it("says what went wrong, and tries again when asked to", async () => {
    const page = await open(390, "light");
    await page.route("**/json-rpc", (route) => route.fulfill({ status: 403, json: {} }));
    await page.goto(server.url);
    await page.getByRole("alert").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(panels.length);
    expect(await accessFaults(page)).toEqual([]);
    await page.unroute("**/json-rpc");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.locator("article").first().locator(".large").waitFor();
    await page.close();
  });
});
