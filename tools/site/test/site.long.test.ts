import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessFaults, executablePath, openBrowser, openPage } from "../../../packages/console/test/support/browser.ts";
import { documents } from "../../repo-rules/src/snippets.ts";
import { installLibraries } from "../src/libraries.ts";
import { pages } from "../src/pages.ts";
import { type SiteServer, serve } from "../src/serve.ts";
import { root, tool } from "../src/tree.ts";
import { publishVersions } from "../src/versions.ts";
import { brokenAddresses } from "./crawl.ts";

const missing = missingPart();
const site = mkdtempSync(join(tmpdir(), "quern-site-test-"));
const version = join(site, "next");

/** Ten pages with all that pages have: pictures, long tables, code in many languages, folded parts, a frame. */
const shown = [
  "",
  "getting-started/",
  "try-it/",
  "guides/console/",
  "guides/contract-testing/",
  "guides/dashboard/",
  "guides/deploy/",
  "guides/test-runners/",
  "reference/methods/create-query-run/",
  "design/",
];

let server: SiteServer;
let browser: Browser;
/** Files that the server has sent since the test emptied the list. */
const sent: string[] = [];
const complaints: string[] = [];

/** Returns what this machine lacks for the test; undefined if it has all. */
function missingPart(): string | undefined {
  if (executablePath === undefined) return "Chromium";
  try {
    installLibraries();
    return undefined;
  } catch {
    return "the libraries of tools/site/generator, and cannot download them";
  }
}

/** Builds the site in a namespace without a network, if the machine has such namespaces. */
function build(): void {
  const main = [process.execPath, join(tool, "src/main.ts"), "--out", site];
  const isolated = spawnSync("unshare", ["-rn", "true"]).status === 0;
  const [command = "", ...args] = isolated ? ["unshare", "-rn", ...main] : main;
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

async function open(path: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
  const page = await openPage(await browser.newContext(options), complaints);
  await page.goto(`${server.url}next/${path}`);
  return page;
}

describe.skipIf(missing !== undefined)(`site${missing ? `: the machine lacks ${missing}` : ""}`, () => {
  beforeAll(async () => {
    build();
    server = await serve(site, { prefix: "/docs/quern/", onFile: (path) => sent.push(path) });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(site, { recursive: true, force: true });
    expect(complaints).toEqual([]);
  });

  it("has a page for each document, in HTML and in Markdown, and lists them for language models", () => {
    const files = pages.map(({ file }) => file);
    const left = new Set(["README.md", "packages/quern/README.md"]);
    expect(documents().filter((file) => !files.includes(file) && !left.has(file))).toEqual([]);
    for (const { path } of pages) expect(existsSync(join(version, path, "index.html")), path).toBe(true);
    const links = [...readFileSync(join(site, "llms.txt"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map(
      ([, link = ""]) => link,
    );
    expect(links.filter((link) => !existsSync(join(site, link)))).toEqual([]);
    expect(links).toContain("latest/guides/console.md");
  });

  it("has no broken link, no broken anchor, and loads nothing from elsewhere", () => {
    expect(brokenAddresses(version)).toEqual([]);
  });

  it("loads its first page with at most 150 kB gzip, without pictures", async () => {
    sent.length = 0;
    const page = await open("");
    await page.waitForLoadState("networkidle");
    const counted = sent.filter((path) => [".html", ".css", ".js", ".json", ".wasm", ".woff2"].includes(extname(path)));
    const bytes = counted.map((path) => gzipSync(readFileSync(path)).length).reduce((sum, each) => sum + each, 0);
    expect(counted.length).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(150_000);
    await page.context().close();
  });

  it.each(["light", "dark"] as const)(
    "is accessible in %s, and shows the pictures of this theme",
    async (colorScheme) => {
      const faults: string[] = [];
      for (const path of shown) {
        const page = await open(path, { colorScheme });
        for (const fault of await accessFaults(page)) faults.push(`${path}: ${fault}`);
        const other = page.locator(colorScheme === "light" ? "img.dark-only" : "img.light-only");
        expect(await other.evaluateAll((images) => images.some((image) => image.checkVisibility()))).toBe(false);
        await page.context().close();
      }
      expect(faults).toEqual([]);
    },
  );

  it("fits a phone: no page scrolls sideways", async () => {
    const wide: string[] = [];
    const page = await open("", { viewport: { width: 375, height: 667 } });
    for (const path of [...shown, "guides/recipes/", "reference/errors/"]) {
      await page.goto(`${server.url}next/${path}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 375) wide.push(`${path}: ${width}`);
    }
    expect(wide).toEqual([]);
    await page.context().close();
  });

  it("searches by the keyboard", async () => {
    const page = await open("guides/deploy/");
    // The box arrives after its dialog has opened, as on a slow connection.
    await page.route("**/_astro/ui-core*", async (route) => {
      await pause(1_000);
      await route.continue();
    });
    // A busy machine is never idle: only time limits end the wait for it.
    await page.addInitScript(() => {
      window.requestIdleCallback = (callback, { timeout } = {}) =>
        timeout === undefined ? 0 : window.setTimeout(callback, timeout);
    });
    await page.reload();
    await page.locator("button[data-open-modal]:enabled").waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByPlaceholder("Search").waitFor();
    await page.keyboard.type("idempotencyKey");
    // Results of the first letters come earlier.
    await page.getByText("results for idempotencyKey").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith("guides/deploy/"));
    expect(await page.locator("main").textContent()).toContain("idempotencyKey");
    await page.context().close();
  });

  it("runs the console on the mock server in its page", async () => {
    const page = await open("try-it/");
    const console = page.frameLocator("iframe");
    await console.getByText("USA").first().waitFor();
    const editor = console.getByRole("textbox", { name: "SQL" });
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("select max(price) * 2 as highest from stocks where symbol = 'AAPL'");
    await page.keyboard.press("ControlOrMeta+Enter");
    await console.getByText("446.04").first().waitFor();
    const downloading = page.waitForEvent("download");
    await console.getByText("Download", { exact: true }).click();
    await console.getByRole("button", { name: "CSV" }).click();
    expect(readFileSync(await (await downloading).path(), "utf8")).toMatch(/^highest\r?\n446.04/);
    // The mock of a new visit does not know the runs of this one.
    await page.reload();
    await console.getByText("USA").first().waitFor();
    await page.context().close();
  });

  it("leads from an address without a page to the first page", async () => {
    const page = await (await browser.newContext()).newPage();
    expect((await page.goto(`${server.url}next/guides/none/`))?.status()).toBe(404);
    await page.getByText("Go to the first page").click();
    await page.waitForURL("**/docs/quern/latest/");
    await page.context().close();
  });

  it("opens the same page of another version", async () => {
    cpSync(version, join(site, "0.1.0"), { recursive: true });
    publishVersions(site);
    const page = await open("guides/console/");
    const select = page.getByLabel("Version").first();
    await expect.poll(() => select.locator("option").allTextContents()).toEqual(["next", "0.1.0 (latest)"]);
    await select.selectOption("0.1.0");
    await page.waitForURL("**/docs/quern/0.1.0/guides/console/");
    await page.goto(`${server.url}latest/guides/console/`);
    await expect.poll(() => select.inputValue()).toBe("0.1.0");
    await page.goto(server.url);
    await page.waitForURL("**/docs/quern/latest/");
    await page.context().close();
  });
});
