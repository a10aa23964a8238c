// `npm run screenshot` writes docs/images/dashboard.png: the top of the page in Chromium, with the sample data of a running service.
// `npm run screenshot -- trino` writes dashboard-trino.png: the page over the tables of TPC-H on a Trino that it starts.
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { missingProgram, startTrino } from "../../../packages/trino/test/engine/trino.ts";
import { openBrowser, whenFilled } from "./browser.ts";
import { startPage, startTrinoPage } from "./page-server.ts";

const [first, second] = process.argv.slice(2);
const onTrino = first === "trino";
const name = onTrino ? "dashboard-trino.png" : "dashboard.png";
const path = (onTrino ? second : first) ?? join(import.meta.dirname, "../../../docs/images", name);
const LARGEST_BYTES = 300_000;
const VIEWPORT = { width: 1440, height: 1060 };

await using resources = new AsyncDisposableStack();
const server = resources.use(await (onTrino ? startPageOnTrino() : startPage()));
const browser = resources.use(await openBrowser());
const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light", reducedMotion: "reduce" });
await page.goto(server.url);
await whenFilled(page, { timeout: 550_000, interval: 100 });
const failures = await page.getByRole("alert").allTextContents();
if (failures.length > 0) throw new Error(`Panels failed: ${failures.join("; ")}`);
mkdirSync(dirname(path), { recursive: true });
await page.screenshot({ path, animations: "disabled" });
const { size } = statSync(path);
if (size > LARGEST_BYTES)
  throw new Error(`${path} has ${size} bytes; make the viewport smaller than ${LARGEST_BYTES}.`);
console.log(`${path}: ${VIEWPORT.width} × ${VIEWPORT.height} px, ${size} bytes`);

async function startPageOnTrino() {
  const reason = missingProgram();
  if (reason !== undefined) throw new Error(`Trino does not run here: ${reason}.`);
  const trino = resources.use(await startTrino());
  return startTrinoPage(trino.address("reader", "tpch/tiny"));
}
