import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_KEY, type Service, start } from "../../../tools/repo-rules/src/service.ts";
import { accessFaults, executablePath, openBrowser, openPage, runSql, signIn } from "./support/browser.ts";
import { type ConsoleServer, startConsole } from "./support/console-server.ts";

describe.skipIf(executablePath === undefined)("the console, unless the machine lacks a Chromium", () => {
  let service: Service;
  let server: ConsoleServer;
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), "quern-console-"));

  beforeAll(async () => {
    [service, browser] = await Promise.all([start("serve", "--data-dir", folder), openBrowser()]);
    server = await startConsole(() => service.url);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("signs in, runs a statement and shows exact values, within its policy and without an issue of axe", async () => {
    const complaints: string[] = [];
    const page = await openPage(await browser.newContext(), complaints);
    await page.goto(server.url);
    await signIn(page, API_KEY);
    await runSql(page, "select 9223372036854775807 as big, null as missing, '' as nothing, [1, 2] as list");
    await page.getByRole("gridcell").first().waitFor();
    expect(await page.getByRole("gridcell").allTextContents()).toEqual([
      "9223372036854775807",
      "NULL",
      "empty",
      "[1,2]",
    ]);
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
