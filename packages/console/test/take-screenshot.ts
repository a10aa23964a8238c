// `npm run screenshot -- console` writes docs/images/console-light.png and console-dark.png: a result of the sample data.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "../../../tools/repo-rules/src/service.ts";
import { openBrowser, openPage, runSql } from "./support/browser.ts";

const root = join(import.meta.dirname, "../../..");
const sql = `select origin, count(*) as cars, round(avg(miles_per_gallon), 1) as mpg, max(horsepower) as power,
  list(name order by horsepower desc)[:3] as strongest
from cars
group by origin
order by cars desc`;

const folder = mkdtempSync(join(tmpdir(), "quern-screenshot-"));
const loaded = spawnSync(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", folder]);
if (loaded.status !== 0) throw new Error(String(loaded.stderr));
const browser = await openBrowser();
for (const colorScheme of ["light", "dark"] as const) {
  // A sign-in link works once.
  const service = await start("serve", "--data-dir", folder, "--open");
  const context = await browser.newContext({ viewport: { width: 1280, height: 640 }, colorScheme });
  const page = await openPage(context, []);
  await page.goto(service.consoleUrl ?? "");
  await page.getByText("cars", { exact: true }).click();
  await runSql(page, sql);
  await page.getByRole("gridcell").first().waitFor();
  const path = join(root, `docs/images/console-${colorScheme}.png`);
  await page.screenshot({ path, animations: "disabled" });
  console.log(path);
  await context.close();
  await service.stop();
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
