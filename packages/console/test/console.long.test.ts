import { createClient, listQueryRuns } from "@quern/client";
import { describe, expect, it } from "vitest";
import { API_KEY } from "../../../tools/repo-rules/src/service.ts";
import { executablePath, openPage, runIdOf, runSql, signIn, writeSql } from "./support/browser.ts";
import { cells, clipboard, copyAs, eventually, useConsole } from "./support/use-console.ts";

/** Takes minutes. */
const SLOW = "select sum(hash(i) % 7) from range(100000000000) t(i)";

describe.skipIf(executablePath === undefined)("the console, unless the machine lacks a Chromium", () => {
  const current = useConsole();

  it("refuses a wrong key, forgets a key at sign-out, and keeps it in the browser only on request", async () => {
    const { page, context } = current();
    await page.getByLabel("API key").last().fill("qk_wrong_0123456789abcdef");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await signIn(page, API_KEY);
    const stored = () =>
      page.evaluate(() => [JSON.stringify({ ...sessionStorage }), JSON.stringify({ ...localStorage })]);
    expect((await stored()).map((text) => text.includes("qk_documents"))).toEqual([true, false]);
    await page.reload();
    await page.getByRole("textbox", { name: "SQL" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect((await stored()).join().includes("qk_documents")).toBe(false);
    await page.getByLabel("Keep me signed in").check();
    await signIn(page, API_KEY);
    expect((await stored()).map((text) => text.includes("qk_documents"))).toEqual([false, true]);
    expect(await context.cookies()).toEqual([]);
  });

  it("exchanges the code of a link once, and leaves it neither in the address nor in the history", async () => {
    const { page, service, complaints } = current();
    const link = service.consoleUrl ?? "";
    expect(link).toContain("/console/#code=");
    await page.goto(link);
    await runSql(page, "select 42 as answer");
    await eventually(async () => expect(await cells(page)).toEqual(["42"]));
    expect(page.url()).toBe(`${service.url}/console/`);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(API_KEY);
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(link);
    await page.getByRole("alert").waitFor();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("Invalid or expired link");
  });

  it("keeps tabs, their text and their run over a reload, and runs the statement at the cursor or the selection", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select 1 as one;\n\nselect 2 as two -- ; not an end\n;");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("columnheader", { name: /two/ }).waitFor();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("columnheader", { name: /one/ }).waitFor();
    const id = await runIdOf(page);
    await page.getByRole("button", { name: "New tab" }).click();
    await runSql(page, "select 3 as three");
    await page.reload();
    await page.getByRole("columnheader", { name: /three/ }).waitFor();
    await page.getByRole("tab").first().click();
    await page.getByRole("columnheader", { name: /one/ }).waitFor();
    expect(await runIdOf(page)).toBe(id);
    await expect.poll(() => page.locator(".cm-content").textContent()).toContain("-- ; not an end");
  });

  it("binds parameters by typed fields", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select $name as name, $count + 1 as next, '$no' as text");
    await page.getByLabel("$name", { exact: true }).fill("it's");
    await page.getByLabel("Type of $count").selectOption("number");
    await page.getByLabel("$count", { exact: true }).fill("41");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("gridcell").first().waitFor();
    expect(await cells(page)).toEqual(["it's", "42", "$no"]);
    expect(await page.getByLabel("$no", { exact: true }).count()).toBe(0);
  });

  it("completes names by the service, and underlines an error where the engine reports it", async () => {
    const { page, complaints } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select 1;\nselect 12 as twelve, upperr('x')");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.locator(".cm-lintRange-error").waitFor();
    await expect.poll(() => page.locator(".cm-lintRange-error").allTextContents()).toEqual(["upperr"]);
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("line 1");
    await writeSql(page, "select * from informa");
    await page.keyboard.press("Control+Space");
    await page.locator(".cm-tooltip-autocomplete li").first().waitFor();
    await expect
      .poll(() => page.locator(".cm-tooltip-autocomplete li").first().textContent())
      .toMatch(/information_schema/);
    await page.waitForTimeout(200); // CodeMirror ignores Enter for 75 ms, so that a list does not take the Enter of a new line
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".cm-content").textContent()).toContain("information_schema");
    expect(complaints).toEqual([]);
  });

  it("follows a run over a reload, and cancels it in the engine", async () => {
    const { page, service } = current();
    await signIn(page, API_KEY);
    await writeSql(page, SLOW);
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("Running", { exact: true }).waitFor();
    const id = await runIdOf(page);
    await page.reload();
    await page.getByText("Running", { exact: true }).waitFor();
    expect(await runIdOf(page)).toBe(id);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The run was canceled").waitFor();
    const { queryRuns } = await listQueryRuns(createClient({ url: service.url, apiKey: API_KEY }), { limit: 1 });
    expect(queryRuns.map((run) => [run.id, run.state])).toEqual([[id, "QUERY_STATE_CANCELED"]]);
  });

  it("keeps a run while the network is lost, and shows its result afterwards", async () => {
    const { page, context } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select count(*) as n from range(1000000000) t(i) where hash(i) % 3 = 0");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("Running", { exact: true }).waitFor();
    await context.setOffline(true);
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    await context.setOffline(false);
    await page.getByRole("gridcell").first().waitFor({ timeout: 300_000 });
    expect(await page.getByText("Succeeded").count()).toBeGreaterThan(0);
  });

  it("opens a run from the history and from a link without running it again, and writes it as programs", async () => {
    const { page, context, server, complaints } = current();
    await signIn(page, API_KEY);
    await runSql(page, "select 'findme' as word");
    const id = await runIdOf(page);
    let creates = 0;
    page.on("request", (request) => {
      creates += request.postData()?.match(/"method":"createQueryRun"/g)?.length ?? 0;
    });
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText(/^Copied/).waitFor();
    const link = await clipboard(page);
    expect(link).toBe(`${server.url}#run=${id}`);
    for (const program of ["curl", "TypeScript", "Python", "CLI"]) {
      const text = await copyAs(page, "Copy as", program);
      expect(text).toContain("findme");
      expect(text).not.toContain(API_KEY);
    }
    await page.getByRole("button", { name: "Close Query 1" }).click();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByLabel("Search the SQL of runs").fill("FINDME");
    await eventually(async () => expect(await page.locator(".runs li").count()).toBe(1));
    await page.locator(".runs button").first().click();
    await page.getByRole("gridcell", { name: "findme" }).waitFor();
    const other = await openPage(context, complaints);
    await other.goto(link);
    await signIn(other, API_KEY);
    await other.getByRole("gridcell", { name: "findme" }).waitFor();
    expect(await runIdOf(other)).toBe(id);
    expect(creates).toBe(0);
    await other.close();
  });

  it("lists tables, inserts quoted names, previews and summarizes", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await page.getByLabel("Search tables and columns").fill("miles_per");
    const table = page.locator("details.table").filter({ hasText: "cars" }).first();
    await table.locator("summary").click();
    await table.getByRole("button", { name: "Insert name" }).click();
    await expect.poll(() => page.locator(".cm-content").textContent()).toMatch(/cars$/);
    await table.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("gridcell").first().waitFor();
    await page.getByText("406 rows").waitFor();
    await table.getByRole("button", { name: "Summarize" }).click();
    await page.getByRole("columnheader", { name: /column_name/ }).waitFor();
  });

  it("signs out when the key expires, and keeps the tabs", async () => {
    const { page } = current();
    await signIn(page, API_KEY);
    await writeSql(page, "select 'kept'");
    await page.route("**/json-rpc", (route) =>
      route.fulfill({ status: 401, json: { jsonrpc: "2.0", id: null, error: { code: -32163, message: "expired" } } }),
    );
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("alert").waitFor();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("no longer accepts your key");
    await page.unroute("**/json-rpc");
    await signIn(page, API_KEY);
    await expect.poll(() => page.locator(".cm-content").textContent()).toContain("'kept'");
  });

  it("shares tabs and the sign-out between windows", async () => {
    const { page, context, server, complaints } = current();
    await page.getByLabel("Keep me signed in").check();
    await signIn(page, API_KEY);
    const other = await openPage(context, complaints);
    await other.goto(server.url);
    // A new window begins with a tab of its own, since two that show one tab would replace each other's run.
    await writeSql(other, "select 'from the other window'");
    await page.getByRole("tab", { name: "Query 2" }).click();
    await eventually(async () =>
      expect(await page.locator(".cm-content").textContent()).toContain("from the other window"),
    );
    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("button", { name: "Sign in" }).waitFor();
    await other.close();
  });
});
