import { readFileSync } from "node:fs";
import { createClient, query, rowsOf } from "@quern/client";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { API_KEY } from "../../../tools/repo-rules/src/service.ts";
import { accessFaults, executablePath, runSql, signIn } from "./support/browser.ts";
import { eventually, useConsole } from "./support/use-console.ts";

describe.skipIf(executablePath === undefined)("charts in the console, unless the machine lacks a Chromium", () => {
  const current = useConsole();

  it("guesses a chart from the types of the columns, keeps gaps and exact values, and stays after a reload", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await runSql(
      page,
      "select date '2024-01-01' + i::int as day, case when i in (3, 4, 9) then null else i * 1.5 end as price from range(24) t(i)",
    );
    await page.getByRole("button", { name: "Chart", exact: true }).press("Enter");
    await chart(
      page,
      /^Line chart of price by day: 24 rows, each drawn\. 21 points\. Lowest value 0, highest value 34\.5/,
    );
    await page.getByText("3 NULL values: gaps.").waitFor();
    expect((await page.locator(".chart-picture .marks .line").getAttribute("d"))?.match(/M/g)).toHaveLength(3);
    await page.getByRole("slider", { name: "Point" }).press("End");
    await expect.poll(() => page.locator(".read-out output").textContent()).toMatch(/day: 2024-01-24.*price: 34\.5/);
    await picker(page, "Kind").selectOption("area");
    await chart(page, /^Area chart of price/);
    await page.reload();
    await chart(page, /^Area chart of price by day: 24 rows/);
    await picker(page, "Values").selectOption({ label: "sum" });
    await picker(page, "Groups").selectOption({ label: "month" });
    await chart(page, /^Area chart of sum of price by month of day: 24 rows\. 1 point\. Lowest value 390,/);

    await runSql(page, "select i as n, (i * 7919) % 101 as m from range(500) t(i)");
    await chart(page, /^Scatter chart of m by n: 500 rows, each drawn\. 500 points/);
    expect((await page.locator(".chart-picture .dots").getAttribute("d"))?.match(/M/g)).toHaveLength(500);
    await page.locator(".chart-picture").hover();
    await eventually(async () =>
      expect(await page.locator(".read-out output").textContent()).toMatch(/^n: 2\d\d.*m: \d+$/),
    );

    await runSql(page, "select 9007199254740993 as big, 12.345678901234567890::decimal(30, 18) as exact");
    await chart(page, /^Number chart of big, exact: the row\./);
    await expect
      .poll(() => page.locator(".chart-picture .figure").allTextContents())
      .toEqual(["9007199254740993", "12.345678901234567890"]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessFaults(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  it("writes hostile labels as text, and saves the chart as SVG and PNG", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await runSql(
      page,
      `select * from (values ('<img src=x onerror=alert(1)>', 9007199254740993), ('a' || chr(8238) || 'b', -5), ('twice', 1), ('twice', 2), (null, null)) t("<b>label</b>", "value]]>")`,
    );
    await page.getByRole("button", { name: "Chart", exact: true }).click();
    await chart(page, /^Bar chart of value\]\]> by <b>label<\/b>: 5 rows, each drawn\. 4 points/);
    expect(await page.locator(".chart img, .chart b").count()).toBe(0);
    await page.getByRole("button", { name: "Values" }).click();
    await expect
      .poll(() => page.locator(".chart-table td").allTextContents())
      .toEqual([
        "<img src=x onerror=alert(1)>",
        "9007199254740993",
        "a⟨U+202E⟩b",
        "-5",
        "twice",
        "1",
        "twice",
        "2",
        "NULL",
        "NULL",
      ]);
    expect(await accessFaults(page)).toEqual([]);

    const svg = (await saved(page, "SVG")).toString();
    const file = await page.evaluate((text) => {
      const { documentElement } = new DOMParser().parseFromString(text, "image/svg+xml");
      const elements = [documentElement, ...documentElement.querySelectorAll("*")];
      return {
        names: [...new Set(elements.map(({ nodeName }) => nodeName))].sort(),
        texts: [...documentElement.querySelectorAll("text")].map(({ textContent }) => textContent),
        handlers: elements.flatMap(({ attributes }) =>
          [...attributes].filter(({ name }) => /^on|href|style/.test(name)),
        ).length,
        ground: documentElement.querySelector("rect")?.getAttribute("fill"),
        unresolved: text.includes("var("),
        size: [documentElement.getAttribute("width"), documentElement.getAttribute("height")].map(Number),
      };
    }, svg);
    expect(file.names).toEqual(["g", "line", "path", "rect", "svg", "text", "title"]);
    expect(file.texts.some((text) => text?.startsWith("<img src=x"))).toBe(true);
    expect(file).toMatchObject({ handlers: 0, ground: "rgb(255, 255, 255)", unresolved: false });

    const png = await saved(page, "PNG");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(file.size.map((size) => 2 * size));
    expect(complaints).toEqual([]);
  });

  it("draws 3,000,000 rows from groups of the stored result that equal those of the engine, and obeys filters", async () => {
    const { page, service, complaints } = current();
    const client = createClient({ url: service.url, apiKey: API_KEY });
    const rows = async (sql: string) =>
      Array.fromAsync(rowsOf(await query(client, { sql })), (row) => Object.values(row));
    await signIn(page, API_KEY);
    const source = "select i as n, (i * 7919) % 1013 as v, i % 3 as k from range(3000000) r(i)";
    await runSql(page, source);
    await page.getByRole("button", { name: "Chart", exact: true }).click();
    await chart(page, /^Scatter chart of mean of v by 200 intervals of n: 3,000,000 rows\. 200 points/);
    await page.getByRole("button", { name: "Values" }).click();
    const cells = await page.locator(".chart-table td").allTextContents();
    const [interval = "", mean] = cells.slice(50, 52);
    const [from, to] = interval.split(" to ");
    const [[expected] = []] = await rows(`select avg(v) from (${source}) where n >= ${from} and n < ${to}`);
    expect(Number(mean)).toBeCloseTo(Number(expected), 6);

    await picker(page, "Kind").selectOption("bar");
    await picker(page, "x").selectOption({ label: "k" });
    await picker(page, "Values").selectOption({ label: "sum" });
    await picker(page, "Groups").selectOption({ label: "each value" });
    await chart(page, /^Bar chart of sum of v by value of k: 3,000,000 rows\. 3 points/);
    const sums = await rows(`select k, sum(v) from (${source}) group by k order by k`);
    await eventually(async () =>
      expect(await page.locator(".chart-table td").allTextContents()).toEqual(sums.flat().map(String)),
    );
    await page.getByLabel("Filter", { exact: true }).selectOption({ label: "k" });
    await page.getByLabel("Value", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Add filter" }).click();
    await chart(page, /^Bar chart of sum of v by value of k: 1,000,000 rows that meet the filters\. 1 point/);
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("profiles a column by the keyboard, and filters by a frequent value", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await runSql(
      page,
      "select i as n, case when i % 5 = 0 then null else 'name ' || (i % 3) end as name from range(1000) t(i)",
    );
    await page.getByRole("gridcell").first().waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Alt+p");
    const panel = page.getByRole("complementary", { name: "Profile of name" });
    await panel.getByText("200 (20.0 %)").waitFor();
    await expect
      .poll(() => panel.locator("dd").allTextContents())
      .toEqual(["1,000", "200 (20.0 %)", "3", "name 0", "name 2"]);
    await panel.getByRole("button", { name: "name 1" }).press("Enter");
    await page.getByText("267 of 1,000 rows").waitFor();
    await panel.getByText("267 (100.0 %)").waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Profile of n", exact: true }).click();
    await page.getByRole("img", { name: /^Histogram of n: 30 intervals from 1 to 9/ }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

const picker = (page: Page, name: string): Locator => page.getByRole("combobox", { name, exact: true });

const chart = (page: Page, name: RegExp): Promise<void> => page.getByRole("img", { name }).waitFor();

/** Saves the picture of the chart, and returns the file. */
async function saved(page: Page, format: "SVG" | "PNG"): Promise<Buffer> {
  const download = page.waitForEvent("download");
  await page.getByText("Save picture", { exact: true }).click();
  await page.getByRole("button", { name: format, exact: true }).click();
  return readFileSync(await (await download).path());
}
