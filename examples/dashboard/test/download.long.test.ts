import { readFile } from "node:fs/promises";
import { createClient, getQueryRunDownload, query } from "@quern/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiKey, startServer, type TestServer } from "../../../packages/server/test/fixture.ts";
import { executablePath, openBrowser, openPage } from "./browser.ts";

describe.skipIf(executablePath === undefined)("a download, unless the machine lacks a Chromium", () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
    page = await openPage(browser, { width: 800, colorScheme: "light" }, []);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  it.each([
    ["Größe, 100% (日本)", "Größe, 100% (日本).csv"],
    ['../..\\a"; filename="evil.exe', "a_; filename=_evil.exe.csv"],
    ["invoice\u202Evsc.exe\r\nset-cookie: a=b", "invoicevsc.exeset-cookie_ a=b.csv"],
    ["n".repeat(300), `${"n".repeat(200)}.csv`],
    ["...", undefined],
  ])("named %j is saved by a browser as %j, with the rows of the view", async (fileName, saved) => {
    const client = createClient({ url: server.url, apiKey });
    const { queryRunId } = await query(client, { sql: "select range as n from range(5)", maxAgeMinutes: 60 });
    const sortBy = [{ column: "n", direction: "desc" }] as const;
    const view = { filters: [{ column: "n", gte: 2 }], sortBy };
    const { url } = await getQueryRunDownload(client, { queryRunId, format: "csv", fileName, ...view });
    const started = page.waitForEvent("download");
    await page.evaluate((link) => window.location.assign(link), url);
    const download = await started;
    expect(download.suggestedFilename()).toBe(saved ?? `${queryRunId}.csv`);
    expect(await readFile(await download.path(), "utf8")).toBe("n\n4\n3\n2\n");
  });
});
