import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of Chromium on this machine; undefined without one. */
export const executablePath = [process.env.CHROMIUM ?? "", ...PATHS].find((path) => existsSync(path));

export function openBrowser(): Promise<Browser> {
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
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
