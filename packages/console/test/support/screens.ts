import type { Page } from "playwright-core";
import { runSql, writeSql } from "./browser.ts";

/** Picture of the console. */
interface Screen {
  readonly name: string;
  /** @default 1280 x 640 */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** True for a picture that the documents show. */
  readonly isInDocs?: boolean;
  /** True for the page before the sign-in. */
  readonly isSignedOut?: boolean;
  /** True for a picture that an administrator of the tenant sees. */
  readonly isOfAdmin?: boolean;
  readonly show: (page: Page) => Promise<void>;
}

const GROUPS = `select origin, count(*) as cars, round(avg(miles_per_gallon), 1) as mpg, max(horsepower) as power,
  list(name order by horsepower desc)[:3] as strongest
from cars
group by origin
order by cars desc`;
const CARS = "select name, origin, year, cylinders, horsepower, miles_per_gallon\nfrom cars\norder by year, name";
const PRICES = "select date, price as apple\nfrom stocks\nwhere symbol = 'AAPL'\norder by date";
const SLOW = "select sum(hash(i) % 7) as total\nfrom range(20000000000) t(i)";
const BATCH = `select origin, count(*) as cars from cars where year >= $since group by origin;
select avg(horsepower) as power from cars where year >= $since;
select avg(weight) as kilograms from cars;
select count(*) from cars;`;

const firstCell = (page: Page) => page.getByRole("gridcell").first().waitFor();

export const SCREENS: readonly Screen[] = [
  {
    name: "sign-in",
    isSignedOut: true,
    show: (page) => page.getByRole("button", { name: "Sign in" }).waitFor(),
  },
  {
    name: "grid",
    isInDocs: true,
    async show(page) {
      await page.getByText("cars", { exact: true }).click();
      await runSql(page, GROUPS);
      await firstCell(page);
    },
  },
  {
    name: "completion",
    isInDocs: true,
    async show(page) {
      await runSql(page, CARS);
      await firstCell(page);
      await writeSql(page, "select name, horsepower\nfrom cars\nwhere origin = 'Japan'\norder by ho");
      await page.keyboard.press("Control+Space");
      await page.locator(".cm-tooltip-autocomplete li").first().waitFor();
    },
  },
  {
    name: "error",
    async show(page) {
      await runSql(page, "select name, horsepwr\nfrom cars\nwhere origin = 'Japan'");
      await page.locator(".cm-lintRange-error").waitFor();
    },
  },
  {
    name: "run-all",
    async show(page) {
      await writeSql(page, BATCH);
      await page.getByLabel("Type of $since").selectOption("date");
      await page.getByLabel("$since", { exact: true }).fill("1975-01-01");
      await page.getByRole("button", { name: "Run all" }).click();
      await page.getByText("Not run").first().waitFor();
      await page.locator(".message.failure").waitFor();
    },
  },
  {
    name: "running",
    async show(page) {
      await writeSql(page, SLOW);
      await page.keyboard.press("ControlOrMeta+Enter");
      await page.getByText("Running", { exact: true }).waitFor();
      await page.locator("progress").waitFor();
    },
  },
  {
    name: "cell",
    async show(page) {
      await runSql(page, GROUPS);
      await firstCell(page);
      await page.getByRole("gridcell").nth(4).dblclick();
      await page.locator(".cell-panel").waitFor();
    },
  },
  {
    name: "filter",
    async show(page) {
      await runSql(page, CARS);
      await firstCell(page);
      await page.getByRole("columnheader", { name: /^horsepower/ }).click();
      await page.getByLabel("Filter", { exact: true }).selectOption({ label: "origin" });
      await page.getByLabel("Value").fill("Japan");
      await page.getByRole("button", { name: "Add filter" }).click();
      await page.getByText(/ of 406 rows/).waitFor();
      await firstCell(page);
    },
  },
  {
    name: "profile",
    async show(page) {
      await runSql(page, CARS);
      await firstCell(page);
      await page.getByRole("button", { name: "Profile of horsepower", exact: true }).click();
      await page.getByRole("complementary", { name: "Profile of horsepower" }).getByText("Lowest").waitFor();
    },
  },
  {
    name: "chart",
    viewport: { width: 1280, height: 720 },
    isInDocs: true,
    async show(page) {
      await runSql(page, PRICES);
      await page.getByRole("button", { name: "Chart", exact: true }).click();
      await page.locator(".chart-picture .marks .line").first().waitFor();
    },
  },
  {
    name: "history",
    async show(page) {
      for (const sql of ["select horsepwr from cars", CARS, GROUPS]) await runSql(page, sql);
      await page.getByRole("button", { name: "History" }).click();
      await page.locator(".runs li").nth(2).waitFor();
      await firstCell(page);
    },
  },
  {
    name: "operation",
    viewport: { width: 1280, height: 900 },
    isInDocs: true,
    isOfAdmin: true,
    async show(page) {
      for (const sql of ["select horsepwr from cars", CARS, GROUPS]) await runSql(page, sql);
      await firstCell(page);
      await page.getByRole("button", { name: "Operation" }).click();
      await page.getByText("Ready", { exact: true }).waitFor();
      await page.getByLabel("Show").selectOption("all");
      await page
        .getByRole("row", { name: /from cars/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "phone",
    viewport: { width: 390, height: 844 },
    async show(page) {
      await runSql(page, "select name, horsepower\nfrom cars\norder by horsepower desc");
      await firstCell(page);
    },
  },
];
