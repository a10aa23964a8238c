import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { API_KEY } from "../../../tools/repo-rules/src/service.ts";
import { accessFaults, executablePath, runSql, signIn } from "./support/browser.ts";
import { cells, clipboard, copyAs, eventually, firstCells, useConsole } from "./support/use-console.ts";

describe.skipIf(executablePath === undefined)("a result in the console, unless the machine lacks a Chromium", () => {
  const current = useConsole();

  it("moves over 3,000,000 rows to the row, sorts and filters them by the service, and holds few cells", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await runSql(page, "select i as n, 'text ' || i as t, i % 10 as k from range(3000000) r(i)");
    const grid = page.getByRole("grid");
    await page.getByText("3,000,000 rows").waitFor();
    await grid.focus();
    await page.keyboard.press("ControlOrMeta+End");
    await eventually(async () => expect(await firstCells(page, 3_000_000)).toEqual(["2999999", "text 2999999", "9"]));
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("PageUp");
    await page.keyboard.press("ControlOrMeta+Home");
    await eventually(async () => expect((await firstCells(page, 1))[0]).toBe("0"));
    await page.getByLabel("Row", { exact: true }).fill("1,234,567");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await eventually(async () => expect((await firstCells(page, 1_234_567))[0]).toBe("1234566"));
    // A wheel moves by pixels, although a pixel of the scroll bar is several rows.
    const top = () => page.locator(".row").first().getAttribute("aria-rowindex").then(Number);
    const before = await top();
    await grid.hover();
    await page.mouse.wheel(0, 260);
    await eventually(async () => expect(await top()).toBe(before + 10));
    await page.getByRole("columnheader", { name: /^n/ }).click();
    await page.getByRole("columnheader", { name: /^n/ }).click();
    await eventually(async () => expect((await firstCells(page, 1))[0]).toBe("2999999"));
    await page.getByLabel("Filter", { exact: true }).selectOption({ label: "k" });
    await page.getByLabel("Value").fill("3");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByText("300,000 of 3,000,000 rows").waitFor();
    await eventually(async () => expect((await firstCells(page, 1))[0]).toBe("2999993"));
    for (let share = 1; share <= 20; share++) {
      await grid.evaluate((element, part) => element.scrollTo(0, (element.scrollHeight * part) / 20), share);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(await page.getByRole("gridcell").count()).toBeLessThan(300);
    await eventually(async () => expect((await firstCells(page, 300_000))[0]).toBe("3"));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page
        .getByText("Download", { exact: true })
        .click()
        .then(() => page.getByRole("button", { name: "CSV, as shown" }).click()),
    ]);
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    expect([lines.length, lines[1]]).toEqual([300_001, "2999993,text 2999993,3"]);
  });

  it("copies cells as TSV, Markdown, JSON and a list", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await runSql(page, "select * from (values (9007199254740993, 'a|b'), (2, null)) t(n, s)");
    await page.getByRole("gridcell").first().waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("ControlOrMeta+c");
    await page.getByText(/^Copied 4 cells/).waitFor();
    expect(await clipboard(page)).toBe("n\ts\n9007199254740993\ta|b\n2\t");
    expect(await copyAs(page, "Copy", "Markdown")).toBe(
      "| n | s |\n| --- | --- |\n| 9007199254740993 | a\\|b |\n| 2 | NULL |",
    );
    expect(JSON.parse(await copyAs(page, "Copy", "JSON"))).toEqual([
      { n: "9007199254740993", s: "a|b" },
      { n: 2, s: null },
    ]);
    await page.getByRole("gridcell").nth(1).click();
    expect(await copyAs(page, "Copy", "IN list")).toBe("('a|b')");
  });

  it("shows hostile values as text, and wide results by part", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    const values =
      "'<img src=x onerror=alert(1)>' as \"<b>html</b>\", 'a' || chr(8238) || 'b' as bidi, chr(27) || '[31mred' as ansi, repeat('x', 1000000) as big";
    const columns = Array.from({ length: 2000 }, (_, index) => `${index} as c${index}`).join(", ");
    await runSql(page, `select ${values}, ${columns}`);
    await page.getByRole("gridcell").first().waitFor();
    const shown = await cells(page);
    expect(shown.slice(0, 3)).toEqual(["<img src=x onerror=alert(1)>", "a⟨U+202E⟩b", "⟨U+001B⟩[31mred"]);
    expect(shown[3]?.length).toBeLessThan(400);
    expect(shown.length).toBeLessThan(40);
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await page.getByRole("gridcell", { name: "1999", exact: true }).waitFor();
    expect(await page.locator(".grid img, .grid b").count()).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("keeps its filters when another tab is shown, and when the service refuses one of them", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await runSql(page, "select i as n from range(10) t(i)");
    await page.getByLabel("Value").fill("3");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByText("1 of 10 rows").waitFor();
    await page.getByLabel("Value").fill("no number");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "n = no number" }).click();
    await page.getByText("1 of 10 rows").waitFor();
    await page.getByRole("button", { name: "New tab" }).click();
    await page.getByRole("tab", { name: "Query 1" }).click();
    await page.getByText("1 of 10 rows").waitFor();
  });

  it("unfolds a nested value", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await runSql(page, "select {'name': 'x', 'list': [1, null]} as nested");
    await page.getByRole("gridcell").first().waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Enter");
    await page.getByText("2 elements").click();
    await expect.poll(() => page.locator(".cell-panel").textContent()).toMatch(/name: x.*0: 1.*1: NULL/);
    expect(await accessFaults(page)).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "has no issue of axe on a phone and on a desk in %s colours",
    async (colorScheme) => {
      const { page, complaints } = current();
      await signIn(page, API_KEY);
      await runSql(page, "select i as n, null as missing, '' as nothing from range(100) t(i)");
      await page.getByRole("gridcell").first().waitFor();
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await accessFaults(page)).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await page.screenshot({
          path: join(import.meta.dirname, `../.vitest/${width}-${colorScheme}.png`),
          caret: "initial",
        });
      }
      await page.getByRole("button", { name: "History" }).click();
      await page.locator(".runs li").first().waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
