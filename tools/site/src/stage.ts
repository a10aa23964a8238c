import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { llmsText } from "./llms.ts";
import { pageText, pictureFolder, summaryOf } from "./page-text.ts";
import { markdownPath, pages } from "./pages.ts";
import { root } from "./tree.ts";
import { buildConsole } from "./try-it/build-console.ts";

/** Writes what the generator reads. @param pageFolder pages in Markdown @param publicFolder files that the site has as they are */
export async function stage(pageFolder: string, publicFolder: string): Promise<void> {
  for (const page of pages) {
    const text = pageText(page, "page");
    const head = { title: page.title, description: summaryOf(text) };
    // A JSON string is a YAML string.
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
    write(join(pageFolder, markdownPath(page)), `---\n${lines.join("")}---\n\n${text}`);
    write(join(publicFolder, markdownPath(page)), `# ${page.title}\n\n${pageText(page, "markdown")}`);
  }
  write(join(publicFolder, "llms.txt"), llmsText(""));
  copyFileSync(join(root, "spec/openrpc.json"), join(publicFolder, "openrpc.json"));
  copyFileSync(join(root, "packages/console/src/icon.svg"), join(publicFolder, "favicon.svg"));
  cpSync(join(root, "docs/images"), join(publicFolder, pictureFolder), { recursive: true });
  await buildConsole(join(publicFolder, "try-it/console"));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
