import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { API_KEY } from "../../../tools/repo-rules/src/service.ts";
import { accessFaults, executablePath, runIdOf, runSql, signIn, writeSql } from "./support/browser.ts";
import { cells, copyAs, eventually, useConsole } from "./support/use-console.ts";

describe.skipIf(executablePath === undefined)("the editor of the console, unless the machine lacks a Chromium", () => {
  const current = useConsole();

  it("formats statements in one step for undo, and leaves comments, strings, names and parameters as they are", async () => {
    const { page, complaints } = current();
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(response.url()));
    await signIn(page, API_KEY);
    const sql = [
      "select a.\"Full  Name\",$1::int as n , 'it''s  ;' as s,payload->>'k' as k -- why  not",
      "from t a where a.id>=? and b like $x$ $1 $x$ /* keep   this */ and c is not distinct from {'k': 1};",
      "selekt ((;",
      "select 1",
    ].join("\n");
    await writeSql(page, sql);
    expect(loaded.filter((url) => url.includes("format-editor"))).toEqual([]);
    await page.keyboard.press("Shift+Alt+F");
    await page.getByText(/^Cannot format statement 2: /).waitFor();
    const formatted = await textOf(page);
    expect(formatted.split("\n").length).toBeGreaterThan(10);
    for (const kept of [
      '"Full  Name"',
      "'it''s  ;'",
      "-- why  not",
      "$x$ $1 $x$",
      "/* keep   this */",
      "$1::int",
      "->>",
      ">= ?",
      "selekt ((;",
    ])
      expect(formatted).toContain(kept);
    const squeezed = (text: string) => text.replace(/\s/g, "");
    expect(squeezed(formatted)).toBe(squeezed(sql));
    await page.keyboard.press("ControlOrMeta+z");
    await expect.poll(() => textOf(page)).toBe(sql);
    await page.getByRole("button", { name: "Format" }).click();
    await expect.poll(() => textOf(page)).toBe(formatted);
    expect(complaints).toEqual([]);
  });

  it("keeps what undo needs while another tab is shown", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select 1 as first");
    await page.keyboard.press("End");
    await page.waitForTimeout(600); // a pause of half a second begins a new step for undo
    await page.keyboard.insertText(", 2 as second");
    await page.getByRole("button", { name: "New tab" }).click();
    await writeSql(page, "select 3");
    await page.getByRole("tab").first().click();
    await page.getByRole("textbox", { name: "SQL" }).focus();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(async () => expect(await textOf(page)).toBe("select 1 as first"));
    await page.keyboard.press("ControlOrMeta+y");
    await eventually(async () => expect(await textOf(page)).toBe("select 1 as first, 2 as second"));
    await page.getByRole("tab").last().click();
    await eventually(async () => expect(await textOf(page)).toBe("select 3"));
  });

  it("runs all statements, stops at the first failure, and shows the chosen run", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await writeSql(
      page,
      "select 1 as one; -- ; no end\nselect 2 as two;\n\nselect nothing from nowhere;\nselect 4 as four",
    );
    await page.keyboard.press("ControlOrMeta+Shift+Enter");
    const runs = page.getByRole("navigation", { name: "Runs of the statements" }).getByRole("button");
    await runs.filter({ hasText: "Failed" }).waitFor();
    await eventually(async () =>
      expect((await runs.allTextContents()).map((text) => text.replace(/.*(?=[A-Z][a-z ]+$)/, ""))).toEqual([
        "Succeeded",
        "Succeeded",
        "Failed",
        "Not run",
      ]),
    );
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("nowhere");
    expect(await page.getByRole("gridcell").count()).toBe(0);
    const failed = await runIdOf(page);
    for (const [index, name] of ["one", "two"].entries()) {
      await runs.nth(index).click();
      await page.getByRole("columnheader", { name }).waitFor();
      expect(await cells(page)).toEqual([String(index + 1)]);
      expect(await runs.nth(index).getAttribute("aria-pressed")).toBe("true");
      expect(await runIdOf(page)).not.toBe(failed);
    }
    expect(await accessFaults(page)).toEqual([]);
    await page.reload();
    await page.getByRole("columnheader", { name: "two" }).waitFor();
    expect(await runs.count()).toBe(4);
    await runSql(page, "select 5 as five");
    expect(await runs.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("goes on with the statements of a tab that is not shown", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select sum(hash(i)) from range(100000000) t(i); select 2 as two");
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByRole("button", { name: "New tab" }).click();
    await page.getByRole("tab").first().click();
    await page.getByRole("columnheader", { name: "two" }).waitFor();
    expect(await cells(page)).toEqual(["2"]);
  });

  it("binds ? and $1 by typed fields: a large integer, a date, a time and NULL", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select $2 + 1 as n, typeof($2) as t, $1::date + 1 as d, $3 is null as missing");
    await fill(page, "$1", "date", "2026-11-29");
    await fill(page, "$2", "number", "9007199254740993");
    await page.getByLabel("Type of $3").selectOption("null");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await eventually(async () =>
      expect(await cells(page)).toEqual(["9007199254740994", "BIGINT", "2026-11-30", "true"]),
    );
    expect(await copyAs(page, "Copy as", "CLI")).toContain("--param '2=9007199254740993'");
    expect(await copyAs(page, "Copy as", "TypeScript")).toContain('"9007199254740993"');

    await writeSql(page, 'select ? || \'?\' as s, ?::timestamp as at, "?" from (select ? as "?")');
    await page.getByLabel("?1", { exact: true }).fill("what");
    await fill(page, "?2", "timestamp", "2026-11-29T12:34:56");
    await fill(page, "?3", "boolean", "true");
    expect(await page.getByRole("group", { name: "Parameters" }).getByRole("combobox").count()).toBe(3);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await eventually(async () => expect(await cells(page)).toEqual(["what?", "2026-11-29T12:34:56.000Z", "true"]));
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

const textOf = (page: Page): Promise<string> =>
  page.locator(".cm-line").evaluateAll((lines) => lines.map(({ textContent }) => textContent ?? "").join("\n"));

async function fill(page: Page, name: string, type: string, value: string): Promise<void> {
  await page.getByLabel(`Type of ${name}`).selectOption(type);
  await page.getByLabel(name, { exact: true }).fill(value);
}
