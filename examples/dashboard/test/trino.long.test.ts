import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listQueryRuns, query, rowsOf } from "@quern/client";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { missingProgram, sharedTrino, type TestTrino } from "../../../packages/trino/test/engine/trino.ts";
import { cellText } from "../src/number.ts";
import { pages, panelsOf } from "../src/pages.ts";
import { accessFaults, countCreates, executablePath, openBrowser, openPage, patience, whenFilled } from "./browser.ts";
import { type PageServer, startTrinoPage } from "./page-server.ts";

const panels = panelsOf(pages.tpch);
const lacks = executablePath === undefined ? "the machine lacks Chromium" : missingProgram();

if (lacks !== undefined)
  it.skip(`the dashboard on Trino does not run here: ${lacks}`); // as its name says
else
  describe("the dashboard on Trino", () => {
    let trino: TestTrino;
    let server: PageServer;
    let browser: Browser;
    beforeAll(async () => {
      trino = await sharedTrino();
      server = await startTrinoPage(trino.address("reader", "tpch/tiny"));
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
      await trino?.[Symbol.asyncDispose]();
    });

    it("fills every panel by one run, which Trino executes, and has nothing against it at either width", async () => {
      const shots = fileURLToPath(new URL("../.vitest/screenshots", import.meta.url));
      const complaints: string[] = [];
      for (const [width, colorScheme] of [
        [1440, "light"],
        [390, "dark"],
      ] as const) {
        const page = await openPage(browser, { width, colorScheme }, complaints);
        const creates = countCreates(page);
        await page.goto(server.url);
        await whenFilled(page, { ...patience, timeout: 600_000 });
        expect(await page.title()).toBe(pages.tpch.title);
        expect(await page.locator("article").count()).toBe(panels.length);
        expect(await page.locator(".message").allTextContents()).toEqual([]);
        expect(creates()).toBe(panels.length);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        expect(await accessFaults(page)).toEqual([]);
        await page.screenshot({ path: join(shots, `trino-${width}.png`), fullPage: true });
        await page.close();
      }
      expect(complaints).toEqual([]);
      const { queryRuns } = await listQueryRuns(server.client, { limit: 100 });
      // The second page reuses the runs of the first.
      expect(queryRuns).toHaveLength(panels.length);
      for (const run of queryRuns)
        expect(run).toMatchObject({
          state: "QUERY_STATE_SUCCESS",
          dataSourceQueryId: expect.stringMatching(/^\d{8}_/),
        });
    });

    it("shows the rows of Trino", async () => {
      const page = await openPage(browser, { width: 1440, colorScheme: "light" }, []);
      await page.goto(server.url);
      const figure = page.getByRole("article", { name: "Orders in the table" }).locator(".large");
      await figure.waitFor();
      expect(await figure.textContent()).toBe("15,000");
      await page.getByRole("button", { name: "Revenue by region as a table", disabled: false }).click();
      const shown = page.getByRole("region", { name: "Revenue by region, rows" }).locator("tbody tr");
      const { sql } = panels.find(({ title }) => title === "Revenue by region") ?? { sql: "" };
      const rows: string[][] = [];
      for await (const row of rowsOf(await query(server.client, { sql }))) rows.push(Object.values(row).map(cellText));
      expect(rows).toHaveLength(30);
      const cells = await shown.evaluateAll((all) =>
        all.map((row) => [...row.children].map((cell) => cell.textContent)),
      );
      expect(cells).toEqual(rows);
      await page.close();
    });

    it("says what Trino has against a panel", async () => {
      const page = await openPage(browser, { width: 1440, colorScheme: "light" }, []);
      await page.route("**/json-rpc", (route) => {
        const body = route.request().postData() ?? "";
        return route.continue({
          postData: body.replaceAll("count(*) as orders from orders", "price as orders from orders"),
        });
      });
      await page.goto(server.url);
      const alert = page.getByRole("article", { name: "Orders in the table" }).getByRole("alert");
      await alert.waitFor();
      expect(await alert.textContent()).toContain("Column 'price' cannot be resolved");
      await page.close();
    });

    it("scrolls, sorts and filters a result by the hooks, without another query of Trino", async () => {
      const address = trino.address("reader", "tpch/tiny");
      await using list = await startTrinoPage(address, join(import.meta.dirname, "day"));
      const page = await openPage(browser, { width: 390, colorScheme: "light" }, []);
      const sql = "select orderkey as n, orderkey % 7 as k from orders where orderkey <= 10000 order by 1";
      const expected: unknown[] = [];
      for await (const { n } of rowsOf(await query(server.client, { sql }))) expected.push(n);
      expect(expected).toHaveLength(2503);
      const shows = (numbers: readonly unknown[]) =>
        vi.waitFor(async () => {
          await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
          expect((await page.locator("li").allTextContents()).map(Number)).toEqual(numbers);
        }, patience);
      await page.goto(`${list.url}?sql=${encodeURIComponent(sql)}`);
      await shows(expected);
      await page.getByRole("button", { name: "Sort" }).click();
      await shows(expected.toReversed());
      await page.getByRole("button", { name: "Filter" }).click();
      await shows(expected.toReversed().filter((n) => Number(n) % 7 === 3));
      const { queryRuns } = await listQueryRuns(list.client, { limit: 100 });
      expect(queryRuns.map(({ state }) => state)).toEqual(["QUERY_STATE_SUCCESS"]);
      await page.close();
    });
  });
