import { execFileSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, getQueryRun, query } from "@quern/client";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { API_KEY, cli } from "../../../tools/repo-rules/src/service.ts";
import { accessFaults, executablePath, openPage, runIdOf, runSql, signIn, writeSql } from "./support/browser.ts";
import { downloadedRows, EXACT_SQL, textsOf } from "./support/downloaded-rows.ts";
import { cells, copyAs, eventually, useConsole } from "./support/use-console.ts";

/** Takes minutes. */
const SLOW = "select sum(hash(i) % 7) from range(100000000000) t(i)";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = "https://id.example.com";

/** Settings of a service that accepts the tokens of an identity provider. */
function settings(folder: string): readonly string[] {
  const jwks = join(folder, "jwks.json");
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256" }] }));
  const config = join(folder, "quern.json");
  writeFileSync(config, JSON.stringify({ jwt: { jwks, issuer, audience: "quern" }, limits: { maxRunningRuns: 4 } }));
  return ["--config", config];
}

function tokenOf(sub: string, scope: string): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iss: issuer, aud: "quern", tenant: "acme", sub, scope, iat: now, exp: now + 600 };
  const text = [{ alg: "ES256", typ: "JWT" }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

async function signInByToken(page: Page, token: string): Promise<void> {
  await page.getByLabel("Bearer token").check();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("textbox", { name: "SQL" }).waitFor();
}

async function startSlowRun(page: Page, sql = SLOW): Promise<string> {
  await writeSql(page, sql);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("Running", { exact: true }).first().waitFor();
  return runIdOf(page);
}

const editorText = (page: Page) => page.locator(".cm-content").textContent();

describe.skipIf(executablePath === undefined)("the console in operation, unless the machine lacks a Chromium", () => {
  const current = useConsole(settings);

  const keys = (...words: string[]): string =>
    execFileSync(process.execPath, [cli, "keys", ...words, "--data-dir", current().folder], { encoding: "utf8" });
  const issueKey = (): { readonly id: string; readonly key: string } =>
    JSON.parse(keys("issue", "--tenant", "acme", "--user", "bob", "--json"));

  it("shows an administrator the tenant and cancels a run of another user, whose key is revoked meanwhile", async () => {
    const { page, context, service, server, complaints } = current();
    const [{ id: keyId, key }, { key: nextKey }] = [issueKey(), issueKey()];
    await signIn(page, key);
    const id = await startSlowRun(page);
    await page.getByRole("button", { name: "New tab" }).click();
    await writeSql(page, "select 'unfinished work'");
    expect(await page.getByRole("button", { name: "Operation" }).count()).toBe(0);

    const admin = await openPage((await context.browser()?.newContext()) ?? context, complaints);
    await admin.goto(server.url);
    await signInByToken(admin, tokenOf("ann", "run read cancel tenant:admin"));
    await admin.getByRole("button", { name: "Operation" }).click();
    const row = admin.getByRole("row").filter({ has: admin.getByTitle(`Open the run ${id}`) });
    await row.getByText("sum(hash(i) % 7)").waitFor();
    expect(await row.getByRole("cell").allTextContents()).toEqual(
      expect.arrayContaining(["Running", "bob", "samples"]),
    );
    await admin.getByText("Ready", { exact: true }).waitFor();
    await admin.getByRole("row", { name: /^samples quern Answers/ }).waitFor();
    await admin.getByRole("row", { name: /^maxUnfinishedRuns 15 runs default/ }).waitFor();
    await admin.getByRole("row", { name: /^bob 1 0/ }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await admin.emulateMedia({ colorScheme });
      expect(await accessFaults(admin)).toEqual([]);
    }
    await admin.setViewportSize({ width: 390, height: 800 });
    expect(await accessFaults(admin)).toEqual([]);
    expect(await admin.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);

    // The key of the other user ends, and the run does not.
    keys("revoke", keyId);
    await page.getByRole("tab", { name: "Query 1" }).click();
    await page.getByText("no longer accepts your key").waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await signIn(page, nextKey);
    await page.getByText("Running", { exact: true }).waitFor();
    expect(await runIdOf(page)).toBe(id);

    admin.once("dialog", (dialog) => void dialog.accept());
    await row.getByRole("button", { name: "Cancel the run of bob" }).click();
    await page.getByText("The run was canceled").waitFor();
    await admin.getByRole("row", { name: /^bob 0 0/ }).waitFor();
    const { queryRun } = await getQueryRun(createClient({ url: service.url, apiKey: nextKey }), { queryRunId: id });
    expect(queryRun.state).toBe("QUERY_STATE_CANCELED");
    await eventually(async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toContain('quern_runs{state="running"} 0');
      expect(metrics).not.toMatch(/quern_child_processes\{kind="statement",state="busy"\} [1-9]/);
    });
    await page.getByRole("tab", { name: "Query 2" }).click();
    expect(await editorText(page)).toBe("select 'unfinished work'");
    await admin.context().close();
  });

  it("keeps windows apart in their runs and together in their text, over a restart of the service", async () => {
    const { page, context, server, complaints, restart } = current();
    const token = tokenOf("cat", "run read cancel");
    await signInByToken(page, token);
    const other = await openPage(context, complaints);
    await other.goto(server.url);
    // Another token of the same user opens the same tabs.
    await signInByToken(other, tokenOf("cat", "run read cancel"));
    await other.getByRole("tab", { name: "Query 2", selected: true }).waitFor();
    await other.getByRole("tab", { name: "Query 1" }).click();
    await writeSql(page, "select 1");
    await eventually(async () => expect(await editorText(other)).toBe("select 1"));
    await other.getByRole("textbox", { name: "SQL" }).focus();
    await other.keyboard.press("ControlOrMeta+End");
    await other.keyboard.type(" + 2");
    await eventually(async () => expect(await editorText(page)).toBe("select 1 + 2"));
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("-- both\n");
    await eventually(async () => expect(await editorText(other)).toBe("-- bothselect 1 + 2"));
    await other.keyboard.type(" as three");
    await eventually(async () => expect(await editorText(page)).toBe("-- bothselect 1 + 2 as three"));

    await other.getByRole("button", { name: "New tab" }).click();
    const counted = (result: string) =>
      `select count(*) % 1 as zero, '${result}' as result from range(300000000) t(i) where hash(i) % 3 = 0`;
    const ids = [await startSlowRun(page, counted("one")), await startSlowRun(other, counted("two"))];
    expect(complaints).toEqual([]);
    const restartedAt = Date.now();
    await restart();
    for (const [index, window] of [page, other].entries()) {
      // Both statements, each of some seconds alone, run a second time after the restart.
      const result = window.getByRole("gridcell", { name: ["one", "two"][index] ?? "", exact: true });
      await result.waitFor({ timeout: 240_000 });
      expect(await runIdOf(window)).toBe(ids[index]);
    }
    const { queryRun } = await getQueryRun(createClient({ url: current().service.url, token }), {
      queryRunId: ids[1] ?? "",
    });
    expect(Date.parse(queryRun.startedAt ?? "")).toBeGreaterThan(restartedAt);
    expect(complaints.filter((text) => !/Failed to load resource|ERR_/.test(text))).toEqual([]);
    await other.close();
  });

  it("downloads the rows of the engine in each format, all of them and filtered, and moves columns", async () => {
    const { page, service, complaints } = current();
    await signIn(page, API_KEY);
    const client = createClient({ url: service.url, apiKey: API_KEY });
    const rows = async (sql: string) => (await query(client, { sql: textsOf(sql), pageSize: 1000 })).first.rows;
    const expected = { "": await rows(EXACT_SQL), ", as shown": await rows(`from (${EXACT_SQL}) where b`) };
    await runSql(page, EXACT_SQL);
    await page.getByRole("gridcell").first().waitFor();

    // The order of the columns changes neither the files nor what a filter means.
    await page.getByRole("columnheader", { name: /^b/ }).dragTo(page.getByRole("columnheader", { name: /^n/ }));
    await page.getByRole("gridcell", { name: "true" }).first().click();
    for (const key of ["ArrowUp", "Alt+ArrowRight", "Alt+ArrowRight", "Alt+ArrowLeft", "Alt+Shift+ArrowRight"])
      await page.keyboard.press(key);
    const headers = async () => (await page.locator(".header .name").allTextContents()).join("");
    expect(await headers()).toBe("nbtdtsl");
    const width = () => page.getByRole("columnheader", { name: /^b/ }).evaluate((header) => header.clientWidth);
    const changed = await width();
    await page.reload();
    await page.getByRole("gridcell").first().waitFor();
    expect([await headers(), await width()]).toEqual(["nbtdtsl", changed]);
    await page.getByRole("gridcell").first().click();
    await page.keyboard.press("Shift+End");
    const copied = JSON.parse(await copyAs(page, "Copy", "JSON"));
    expect(copied.map((row: object) => Object.entries(row).slice(0, 2))).toEqual([
      [
        ["n", "9007199254740993"],
        ["b", true],
      ],
    ]);

    for (const [suffix, texts] of Object.entries(expected)) {
      if (suffix !== "") {
        await page.getByLabel("Filter", { exact: true }).selectOption({ label: "b" });
        await page.getByLabel("Value").fill("true");
        await page.getByRole("button", { name: "Add filter" }).click();
        await page.getByText("500 of 1,000 rows").waitFor();
      }
      for (const format of ["CSV", "JSON Lines", "Parquet", "Arrow"]) {
        await page.getByText("Download", { exact: true }).click();
        const saved = page.waitForEvent("download");
        await page.getByRole("button", { name: `${format}${suffix}`, exact: true }).click();
        expect(await downloadedRows(format, await (await saved).path()), format + suffix).toEqual(texts);
      }
    }
    await page.getByText("columns in the order of the statement").waitFor();
    expect(complaints).toEqual([]);
  });

  it("finds runs by text, tag, state and date, and leaves tables unfolded in another search", async () => {
    const { page, service, complaints } = current();
    const client = createClient({ url: service.url, apiKey: API_KEY });
    await query(client, { sql: "select 'needle' as a", tags: { report: "weekly", stage: "test" } });
    await query(client, { sql: "select 'needle' as b", tags: { report: "daily" } });
    await signIn(page, API_KEY);
    const table = page.locator("details.table").filter({ hasText: "cars" }).first();
    await table.locator("summary").click();
    for (const search of ["car", "cars", ""]) {
      await page.getByLabel("Search tables and columns").fill(search);
      await table.getByRole("button", { name: "Preview" }).waitFor();
    }
    await page.getByRole("button", { name: "History" }).click();
    await page.getByLabel("Search the SQL of runs").fill("NEEDLE");
    const found = (count: number) => eventually(async () => expect(await page.locator(".runs li").count()).toBe(count));
    await found(2);
    await page.getByLabel("Tag").fill("report=weekly, stage=test");
    await found(1);
    await page.getByLabel("From").fill("2999-01-01");
    await found(0);
    await page.getByLabel("From").fill("2020-01-01");
    await page.getByLabel("State").selectOption({ label: "Failed" });
    await found(0);
    await page.getByLabel("State").selectOption({ label: "Succeeded" });
    await found(1);
    await page.getByLabel("Tag").fill("report");
    await page.getByText("Invalid tag").waitFor();
    await page.getByLabel("Tag").fill("report=daily");
    await page.locator(".runs button").filter({ hasText: "as b" }).click();
    await eventually(async () => expect(await cells(page)).toEqual(["needle"]));
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
