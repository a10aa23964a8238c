// `npm run screenshot -- console` takes pictures of the console with the sample data, light and dark; with names, such as
// `-- console chart`, only these. Those that the documents show are written to docs/images, the others to
// packages/console/.screenshots.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { API_KEY, cli, start } from "../../../tools/repo-rules/src/service.ts";
import { openBrowser, openPage, signIn } from "./support/browser.ts";
import { SCREENS } from "./support/screens.ts";

const root = join(import.meta.dirname, "../../..");
const others = join(import.meta.dirname, "../.screenshots");
mkdirSync(others, { recursive: true });

const folder = mkdtempSync(join(tmpdir(), "quern-screenshot-"));
const loaded = spawnSync(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", folder]);
if (loaded.status !== 0) throw new Error(String(loaded.stderr));
const service = await start("serve", "--data-dir", folder);
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
stack.defer(() => service.stop());
const scopes = ["--scopes", "run,read,cancel,tenant:admin"];
const issue = ["keys", "issue", "--data-dir", folder, "--tenant", "tenant_first", "--user", "ann", ...scopes];
const adminKey = execFileSync(process.execPath, [cli, ...issue], { encoding: "utf8" }).trim();
const browser = stack.use(await openBrowser());
const names = process.argv.slice(3);
for (const { name, viewport = { width: 1280, height: 640 }, isInDocs, isSignedOut, isOfAdmin, show } of SCREENS) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await openPage(context, []);
    await page.goto(`${service.url}/console/`);
    if (!isSignedOut) await signIn(page, isOfAdmin ? adminKey : API_KEY);
    await show(page);
    await page.waitForTimeout(300); // menus and tooltips move for a moment
    const picture = await pictureOf(page);
    const path = join(isInDocs ? join(root, "docs/images") : others, `console-${name}-${colorScheme}.webp`);
    writeFileSync(path, picture);
    console.log(`${relative(root, path)} ${(picture.length / 1000).toFixed(1)} kB`);
    const cancel = page.getByRole("button", { name: "Cancel", exact: true });
    if ((await cancel.count()) > 0) await cancel.click().then(() => cancel.waitFor({ state: "detached" }));
    await context.close();
  }
}

/** Returns a picture in a format that the browser writes but `page.screenshot` does not: a third of the bytes of PNG. */
async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  return Buffer.from(data, "base64");
}
