// @vitest-environment happy-dom
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient, createQueryRun } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { bundlePage, writeComponents } from "../../../tools/repo-rules/src/components.ts";
import { snippets } from "../../../tools/repo-rules/src/snippets.ts";
import { fiftyPanels } from "../../query-options/test/support/fifty-panels.ts";
import { createQueuedRun, createService, patience } from "../../query-options/test/support/service.ts";
import type { useQueryResults } from "../src/index.ts";

type Results = ReturnType<typeof useQueryResults<{ name: string }>>;

/** Folder of the bundle, below this package, where it finds the client. */
const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
let pages: Awaited<ReturnType<typeof load>>;

async function load() {
  const program = `export * from ${JSON.stringify(join(import.meta.dirname, "pages/index.js"))};`;
  return import(await bundlePage(folder, program, { external: ["@quern/client"] }));
}

beforeAll(async () => {
  pages = await load();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Panel {
  readonly component: unknown;
  readonly [prop: string]: unknown;
}

/** Renders panels into a page, below the client and, with a concurrency, in a dashboard. */
function openPage(client: Client, panels: readonly Panel[], dashboard?: { readonly concurrency: number }) {
  const container = document.createElement("div");
  document.body.append(container);
  const app = pages.mount(pages.Page, { target: container, props: { client, panels, dashboard } });
  const text = () => container.textContent?.replace(/\s+/g, " ").trim();
  const shows = (expected: string | RegExp) => vi.waitFor(() => expect(text()).toMatch(expected), patience);
  const press = (name: string) =>
    [...container.querySelectorAll("button")].find(({ textContent }) => textContent === name)?.click();
  let isOpen = true;
  const close = () => {
    if (isOpen) void pages.unmount(app);
    isOpen = false;
    container.remove();
  };
  return { container, shows, press, close, [Symbol.dispose]: close };
}

const rows = [{ name: "fiat" }, { name: "ford" }];

/** Component of a statement, and what its function has returned. */
function cars() {
  const given: { results?: Results } = {};
  const onResults = (results: Results) => {
    given.results = results;
  };
  return { given, panel: { component: pages.Cars, onResults } };
}

it("shows the states of a run and its rows, over a real connection", async () => {
  const mock = createMockServer();
  mock.when("select cars").after("30s").rows(rows);
  await using listening = await listen(mock);
  const { given, panel } = cars();
  using page = openPage(createClient({ url: listening.url, apiKey: mock.apiKey }), [panel]);
  await page.shows(/^running -$/);
  expect(given.results?.queryRunId).toMatch(/./);
  mock.clock.advance("30s");
  await page.shows(/^success fiat,ford$/);
  expect(given.results?.queryRunId).toBe(given.results?.data?.queryRunId);
  expect(given.results?.asOf).toBe(given.results?.data?.asOf);
});

it("shows why a run has failed, without a retry", async () => {
  const { mock, client, created } = createService();
  mock.when("select cars").fails({ errorName: "BinderError", errorMessage: "no column x" });
  using page = openPage(client, [cars().panel]);
  await page.shows(/^error .*no column x/);
  expect(created).toEqual(["select cars"]);
});

it("is canceled, runs again, and withdraws its request when the component is destroyed", async () => {
  const { mock, client, sent, created } = createService();
  mock.when("select cars").after("30s").rows(rows);
  const { given, panel } = cars();
  using page = openPage(client, [panel]);
  await page.shows(/^running -$/);
  await given.results?.cancel();
  await page.shows(/^canceled -$/);
  const withdrawn = () => sent.filter((methods) => methods.includes("cancelQueryRun")).length;
  await vi.waitFor(() => expect(withdrawn()).toBe(1), patience);
  void given.results?.refresh();
  await page.shows(/^running -$/);
  page.close();
  await vi.waitFor(() => expect(withdrawn()).toBe(2), patience);
  expect(created).toEqual(["select cars", "select cars"]);
});

it("reads the rows of a query whose parameters are changed in place", async () => {
  const { mock, client, created } = createService();
  mock.when("select cars").rows(rows);
  using page = openPage(client, [{ component: pages.Year }]);
  await page.shows(/^run_1 /);
  page.press("next");
  await page.shows(/^run_2 /);
  page.press("last");
  await page.shows(/^run_1 /);
  expect(created).toEqual(["select cars", "select cars"]);
});

it("follows a run whose state is shown later", async () => {
  const polled = vi.fn();
  using page = openPage(createQueuedRun(polled), [{ component: pages.Year }]);
  await vi.waitFor(() => expect(polled).toHaveBeenCalled(), patience);
  page.press("state");
  await page.shows(/^- running/);
});

it("calls the service again when the network is back", async () => {
  const { mock, client, created } = createService();
  mock.when("select cars").rows(rows);
  using page = openPage(client, [{ component: pages.Cars, options: { refetchOnReconnect: "always" } }]);
  await page.shows(/^success fiat,ford$/);
  window.dispatchEvent(new Event("offline"));
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(created).toEqual(["select cars", "select cars"]), patience);
});

it("polls a run, calls a method, and reads page by page", async () => {
  const { mock, client } = createService();
  mock.when(/cars/).rows(rows);
  const { queryRun } = await createQueryRun(client, { sql: "select cars" });
  using page = openPage(client, [{ component: pages.Methods, queryRun }]);
  await page.shows(/^QUERY_STATE_SUCCESS select cars fiat$/);
  page.container.querySelector("button")?.click();
  await page.shows(/^QUERY_STATE_SUCCESS select cars fiat,ford$/);
});

it("starts panels in view first, and limits the concurrency", async () => {
  const { mock, client, created } = createService();
  mock.when(/panel/).rows([{ name: "rows" }]);
  const component = pages.Panel;
  const panels = [
    { component, sql: "panel far below", top: 5000 },
    { component, sql: "panel in view" },
    { component, sql: "panel in view, urgent", priority: 1 },
  ];
  using page = openPage(client, panels, { concurrency: 1 });
  await page.shows(/^rows ?rows ?rows$/);
  expect(created).toEqual(["panel in view, urgent", "panel in view", "panel far below"]);
});

it("sends fifty panels as a few requests, and renders each panel twice", async () => {
  const { mock, client, sent } = createService();
  mock.when(/cars/).rows(rows);
  const onRender = vi.fn();
  const panels = fiftyPanels.statements.map((sql) => ({ component: pages.Panel, sql, onRender }));
  using page = openPage(client, panels, { concurrency: 50 });
  await page.shows(/^(fiat,ford ?){50}$/);
  expect(sent).toHaveLength(fiftyPanels.requests);
  expect(onRender).toHaveBeenCalledTimes(fiftyPanels.renders);
});

it("the guide shows a page that fills with rows", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ origin: "USA", cars: 22 }]);
  await using server = await listen(mock);
  // Below this package, where the components find what they import.
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeComponents(
    folder,
    snippets("docs/guides/vue-and-svelte.md").filter(({ language }) => language === "svelte"),
  );
  const program = 'export { mount } from "svelte"; export { default as App } from "./App.svelte";';
  const page = await bundlePage(folder, program, {
    define: {
      "import.meta.env.VITE_QUERN_URL": JSON.stringify(server.url),
      "import.meta.env.VITE_QUERN_API_KEY": JSON.stringify(mock.apiKey),
    },
  });

  const { mount, App } = await import(page);
  mount(App, { target: document.body });
  await vi.waitFor(() => expect(document.body.textContent).toContain("USA: 22"), patience);
});
