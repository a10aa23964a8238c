import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of Chromium on this machine; undefined without one. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PATHS].find((path) => existsSync(path));

export function openBrowser(): Promise<Browser> {
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
}

/** Opens an empty page. @param complaints receives errors, and violations of the policy, of its console */
export async function openPage(context: BrowserContext, complaints: string[]): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("console", (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return page;
}

/** Signs in with a key, and waits for the editor. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").last().fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("textbox", { name: "SQL" }).waitFor();
}

/** Replaces the text of the editor by the keyboard. */
export async function writeSql(page: Page, sql: string): Promise<void> {
  await page.getByRole("textbox", { name: "SQL" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(sql);
}

/** Runs a statement by the keyboard, and waits for its end. */
export async function runSql(page: Page, sql: string): Promise<void> {
  const before = await runIdOf(page);
  await writeSql(page, sql);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.waitForFunction(
    (id) => {
      const bar = document.querySelector(".run-bar");
      return bar !== null && bar.querySelector(".run-id")?.textContent !== id && bar.querySelector("button") === null;
    },
    before,
    { polling: 50 },
  );
}

export const runIdOf = async (page: Page): Promise<string> =>
  (await page.locator(".run-id").count()) === 0 ? "" : ((await page.locator(".run-id").textContent()) ?? "");

/** Returns the accessibility issues of the page, found by axe. */
export async function accessFaults(page: Page): Promise<readonly string[]> {
  // As a script of the page, the policy would forbid it.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(window, "axe").run();
    return violations.flatMap(({ id, impact, nodes }: { id: string; impact: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${impact}: ${id}: ${html.slice(0, 200)}`),
    );
  });
}
