import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { type Service, start } from "../../../../tools/repo-rules/src/service.ts";
import { executablePath, openBrowser, openPage } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

interface OpenConsole {
  readonly service: Service;
  /** Data directory of the service. */
  readonly folder: string;
  readonly server: ConsoleServer;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and violations of the policy that the browser reports. */
  readonly complaints: string[];
  /** Stops the service and starts another one on its data; `server` then serves that one. */
  restart(): Promise<void>;
}

const loadSamples = join(import.meta.dirname, "../../../../tools/samples/src/main.ts");

if (executablePath === undefined) {
  console.log("test:browser needs a Chromium: install Debian's package chromium, or say where one is in CHROMIUM");
}

/**
 * Starts a service with the sample data for the tests of a file, and opens the console in a new page for each test.
 * @param flags returns further flags of the service, for a data directory
 */
export function useConsole(flags: (folder: string) => readonly string[] = () => []): () => OpenConsole {
  const folder = mkdtempSync(join(tmpdir(), "quern-console-"));
  let service: Service;
  let server: ConsoleServer;
  let browser: Browser;
  let open: OpenConsole | undefined;

  const startService = () => start("serve", "--data-dir", folder, "--open", ...flags(folder));

  beforeAll(async () => {
    const load = spawnSync(process.execPath, [loadSamples, "--data-dir", folder], { encoding: "utf8" });
    if (load.status !== 0) throw new Error(load.stderr);
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    server = await startConsole(() => service.url);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await open?.context.close();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const complaints: string[] = [];
    const page = await openPage(context, complaints);
    await page.goto(server.url);
    const restart = async () => {
      await service.stop();
      service = await startService();
      if (open !== undefined) open = { ...open, service };
    };
    open = { service, folder, server, context, page, complaints, restart };
  });
  return () => {
    if (open === undefined) throw new Error("no test runs");
    return open;
  };
}

/** Repeats a check until it succeeds; a loaded machine takes its time. */
export const eventually = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 60_000, interval: 100 });

export const cells = (page: Page): Promise<string[]> => page.getByRole("gridcell").allTextContents();

/** Returns the cells of a row in view, from 1. */
export const firstCells = (page: Page, row: number): Promise<string[]> =>
  page.locator(`.row[aria-rowindex="${row + 1}"] [role=gridcell]`).allTextContents();

export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** Chooses an entry of a menu and returns what it has copied. */
export async function copyAs(page: Page, menu: string, entry: string): Promise<string> {
  await page.getByText(menu, { exact: true }).click();
  await page.getByRole("button", { name: entry, exact: true }).click();
  await page.getByText(new RegExp(`^Copied.* as ${entry}`)).waitFor();
  return clipboard(page);
}
