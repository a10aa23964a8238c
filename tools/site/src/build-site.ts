import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finishPage, finishScript, placeholder } from "./finish-page.ts";
import { generatorFolder, installLibraries, libraryFolder } from "./libraries.ts";
import { llmsText } from "./llms.ts";
import { sidebar } from "./sidebar.ts";
import { stage } from "./stage.ts";
import { publishVersions } from "./versions.ts";

/**
 * Builds the site of this checkout as one version of a folder, beside the versions that the folder has. Uses no network, unless the
 * libraries have to be installed.
 */
export async function buildSite(folder: string, version: string): Promise<void> {
  installLibraries();
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, ".work-"));
  try {
    const settings = {
      base: placeholder,
      sidebar: sidebar(),
      pageFolder: join(work, "pages"),
      publicFolder: join(work, "public"),
      outputFolder: join(folder, version),
      cacheFolder: join(work, "cache"),
    };
    await stage(settings.pageFolder, settings.publicFolder);
    writeFileSync(join(work, "settings.json"), JSON.stringify(settings));
    rmSync(settings.outputFolder, { recursive: true, force: true });
    generate(join(work, "settings.json"));
    finish(settings.outputFolder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  publishVersions(folder);
  writeFileSync(join(folder, "llms.txt"), llmsText("latest/"));
}

function generate(settings: string): void {
  const astro = join(libraryFolder, "astro/bin/astro.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [astro, "build"], {
    cwd: generatorFolder,
    // Not the environment of this process: Astro would take a variable `DEV`, which vitest sets, for a build while developing.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      QUERN_SITE_SETTINGS: settings,
      ASTRO_TELEMETRY_DISABLED: "1",
    },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The generator of the site failed:\n${stdout}${stderr}`);
}

function finish(output: string): void {
  for (const file of readdirSync(output, { recursive: true, encoding: "utf8" })) {
    const path = join(output, file);
    const change = file.endsWith(".html")
      ? finishPage
      : file.startsWith("_astro") && file.endsWith(".js") && finishScript;
    if (change) writeFileSync(path, change(readFileSync(path, "utf8"), file.replaceAll("\\", "/")));
  }
}
