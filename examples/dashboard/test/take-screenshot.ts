// `npm run screenshot` writes docs/images/dashboard.png: the top of the page in Chromium, with the sample data of a running service.
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { openBrowser } from "./browser.ts";
import { startPage } from "./page-server.ts";

const path = process.argv[2] ?? join(import.meta.dirname, "../../../docs/images/dashboard.png");
const LARGEST_BYTES = 300_000;
const VIEWPORT = { width: 1440, height: 1060 };

await using server = await startPage();
await using browser = await openBrowser();
const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light", reducedMotion: "reduce" });
await page.goto(server.url);
await page.waitForFunction(
  () => document.querySelector("article:not([aria-busy=true])") && !document.querySelector("[aria-busy=true]"),
  undefined,
  { timeout: 550_000 },
);
mkdirSync(dirname(path), { recursive: true });
await page.screenshot({ path, animations: "disabled" });
const { size } = statSync(path);
if (size > LARGEST_BYTES)
  throw new Error(`${path} has ${size} bytes; make the viewport smaller than ${LARGEST_BYTES}.`);
console.log(`${path}: ${VIEWPORT.width} × ${VIEWPORT.height} px, ${size} bytes`);
