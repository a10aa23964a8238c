import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Renders the component `App` of the snippet, and prints the text of the page once it contains the expected text. */
const PROGRAM = `
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./snippet.tsx";

createRoot(document.body).render(createElement(App));
const watch = setInterval(() => {
  if (!document.body.textContent.includes(process.env.AWAITED)) return;
  clearInterval(watch);
  console.log(document.body.textContent);
  process.exit(0);
}, 50);
setTimeout(() => {
  console.error("the page shows: " + document.body.textContent);
  process.exit(1);
}, 15_000);
`;

/**
 * Builds a page from a snippet that exports the component `App`, with the packages of the project. Returns the
 * arguments of `node` that run the page.
 */
export async function buildPage(project: string, snippet: string): Promise<string[]> {
  writeFileSync(join(project, "snippet.tsx"), snippet);
  const outfile = join(project, "page.cjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: project, loader: "tsx" },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    jsx: "automatic",
    logLevel: "error",
  });
  return ["--import", pathToFileURL(join(import.meta.dirname, "browser.ts")).href, outfile];
}
