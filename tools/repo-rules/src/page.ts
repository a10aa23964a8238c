import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePage, writeComponents } from "./components.ts";
import type { Snippet } from "./snippets.ts";

/** Programs that render the component `App` of snippets, by their language. */
const programs: Readonly<Record<string, string>> = {
  tsx: `
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";

createRoot(document.body).render(createElement(App));
`,
  vue: `
import { VueQueryPlugin } from "@tanstack/vue-query";
import { createApp } from "vue";
import App from "./App.vue";

createApp(App).use(VueQueryPlugin).mount(document.body);
`,
  svelte: `
import { mount } from "svelte";
import App from "./App.svelte";

mount(App, { target: document.body });
`,
};

/** Prints the text of the page once it contains the expected text. */
const WATCH = `
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

/** Tells whether snippets of a language are components of a page. */
export const isComponent = ({ language }: Snippet): boolean => language in programs;

/**
 * Builds a page from snippets of one language, among them the component `App`, with the packages of the project. Returns
 * the arguments of `node` that run the page.
 */
export async function buildPage(project: string, snippets: readonly Snippet[]): Promise<string[]> {
  writeComponents(project, snippets);
  const page = await bundlePage(project, `${programs[snippets[0]?.language ?? ""]}${WATCH}`);
  return ["--import", pathToFileURL(join(import.meta.dirname, "browser.ts")).href, page];
}
