import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of Chromium on this machine; undefined without one. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PATHS].find((path) => existsSync(path));

/** A loaded machine takes its time. */
export const patience = { timeout: 120_000, interval: 100 };

export function openBrowser(): Promise<Browser> {
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
}

/** Opens an empty page. @param complaints receives the warnings and errors of its console */
export async function openPage(
  browser: Browser,
  { width, colorScheme }: { readonly width: number; readonly colorScheme: "light" | "dark" },
  complaints: string[],
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
  page.setDefaultTimeout(patience.timeout);
  page.on("console", (message) => {
    if (message.type() !== "info" && message.type() !== "log") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return page;
}

/** Counts the runs that the page creates from now on. */
export function countCreates(page: Page): () => number {
  let creates = 0;
  page.on("request", (request) => {
    creates += request.postData()?.match(/"method":"createQueryRun"/g)?.length ?? 0;
  });
  return () => creates;
}

/** Waits until no panel of the page loads. */
export async function whenFilled(page: Page, { timeout } = patience): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector("article:not([aria-busy=true])") && !document.querySelector("[aria-busy=true]"),
    undefined,
    { timeout },
  );
}

/** Returns the accessibility issues of the page, found by axe. */
export async function accessFaults(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(window, "axe").run();
    return violations.flatMap(({ id, impact, nodes }: { id: string; impact: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${impact}: ${id}: ${html}`),
    );
  });
}
