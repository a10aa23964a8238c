// @vitest-environment happy-dom
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient, createQueryRun } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { VueQueryPlugin } from "@tanstack/vue-query";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Component, createApp, defineComponent, h, type Ref, reactive, ref, type VNode } from "vue";
import { bundlePage, writeComponents } from "../../../tools/repo-rules/src/components.ts";
import { snippets } from "../../../tools/repo-rules/src/snippets.ts";
import { fiftyPanels } from "../../query-options/test/support/fifty-panels.ts";
import { createQueuedRun, createService, patience } from "../../query-options/test/support/service.ts";
import {
  getSqlStatementOptions,
  QuernDashboard,
  QuernProvider,
  useInfiniteResults,
  useMethod,
  useQueryResults,
  useQueryRun,
} from "../src/index.ts";

/** Renders into a page, below the provider. */
function openPage(client: Client, content: () => VNode | VNode[]) {
  const container = document.createElement("div");
  const app = createApp(() => h(QuernProvider, { client }, content));
  app.use(VueQueryPlugin).mount(container);
  const shows = (text: string) => vi.waitFor(() => expect(container.textContent).toBe(text), patience);
  return { container, shows, unmount: () => app.unmount(), [Symbol.dispose]: () => app.unmount() };
}

type Results = ReturnType<typeof useQueryResults<{ name: string }>>;

/** A component that shows the state and the rows of a statement, and passes on what the composable has returned. */
function cars(onResults: (results: Results) => void = () => {}, sql: Ref<string> = ref("select cars")) {
  return defineComponent(() => {
    const results = useQueryResults<{ name: string }>(() => ({ sql: sql.value }));
    onResults(results);
    const { state, data, error } = results;
    return () => h("p", `${state.value} ${error.value?.message ?? data.value?.rows.map(({ name }) => name) ?? "-"}`);
  });
}

const rows = [{ name: "fiat" }, { name: "ford" }];

it("shows the states of a run and its rows, over a real connection", async () => {
  const mock = createMockServer();
  mock.when("select cars").after("30s").rows(rows);
  await using listening = await listen(mock);
  let results: Results | undefined;
  const Cars = cars((given) => {
    results = given;
  });
  using page = openPage(createClient({ url: listening.url, apiKey: mock.apiKey }), () => h(Cars));
  await page.shows("running -");
  expect(results?.queryRunId.value).toMatch(/./);
  mock.clock.advance("30s");
  await page.shows("success fiat,ford");
  expect(results?.queryRunId.value).toBe(results?.data.value?.queryRunId);
  expect(results?.asOf.value).toBe(results?.data.value?.asOf);
});

it("shows why a run has failed, without a retry", async () => {
  const { mock, client, created } = createService();
  mock.when("select cars").fails({ errorName: "BinderError", errorMessage: "no column x" });
  using page = openPage(client, () => h(cars()));
  await vi.waitFor(() => expect(page.container.textContent).toMatch(/^error .*no column x/), patience);
  expect(created).toEqual(["select cars"]);
});

it("is canceled, runs again, and withdraws its request when the component unmounts", async () => {
  const { mock, client, sent, created } = createService();
  mock.when("select cars").after("30s").rows(rows);
  let results: Results | undefined;
  const Cars = cars((given) => {
    results = given;
  });
  using page = openPage(client, () => h(Cars));
  await page.shows("running -");
  await results?.cancel();
  await page.shows("canceled -");
  const withdrawn = () => sent.filter((methods) => methods.includes("cancelQueryRun")).length;
  await vi.waitFor(() => expect(withdrawn()).toBe(1), patience);
  void results?.refresh();
  await page.shows("running -");
  page.unmount();
  await vi.waitFor(() => expect(withdrawn()).toBe(2), patience);
  expect(created).toEqual(["select cars", "select cars"]);
});

it("runs another statement when a ref changes, and waits while it is disabled", async () => {
  const { mock, client, created } = createService();
  mock.when(/./).rows([{ name: "fiat" }]);
  const sql = ref("select a");
  const enabled = ref(false);
  const Panel = defineComponent(() => {
    const { data, state } = useQueryResults(() => ({ sql: sql.value }), { enabled });
    return () => h("p", `${state.value} ${data.value?.queryRunId ?? "-"}`);
  });
  using page = openPage(client, () => h(Panel));
  await page.shows("idle -");
  enabled.value = true;
  await page.shows("success run_1");
  sql.value = "select b";
  await page.shows("success run_2");
  expect(created).toEqual(["select a", "select b"]);
});

it("reads the rows of a query whose parameters are changed in place", async () => {
  const { mock, client, created } = createService();
  mock.when("select cars").rows(rows);
  const parameters = reactive([70]);
  const Panel = defineComponent(() => {
    const { data } = useQueryResults(reactive({ sql: "select cars", parameters, maxAgeMinutes: 60 }));
    return () => h("p", data.value?.queryRunId ?? "-");
  });
  using page = openPage(client, () => h(Panel));
  await page.shows("run_1");
  parameters[0] = 71;
  await page.shows("run_2");
  parameters[0] = 70;
  await page.shows("run_1");
  expect(created).toEqual(["select cars", "select cars"]);
});

it("follows a run whose state is shown later", async () => {
  const polled = vi.fn();
  const showsState = ref(false);
  const Panel = defineComponent(() => {
    const { data, state } = useQueryResults({ sql: "select cars" });
    return () => h("p", `${data.value?.queryRunId ?? "-"} ${showsState.value ? state.value : ""}`);
  });
  using page = openPage(createQueuedRun(polled), () => h(Panel));
  await vi.waitFor(() => expect(polled).toHaveBeenCalled(), patience);
  showsState.value = true;
  await page.shows("- running");
});

it("says that a composable was called outside setup", () => {
  expect(() => useQueryResults({ sql: "select cars" })).toThrow("useClient: called outside setup(); call it there");
});

it("polls a run, calls a method, and reads page by page", async () => {
  const { mock, client } = createService();
  mock.when(/cars/).rows(rows);
  const { queryRun } = await createQueryRun(client, { sql: "select cars" });
  const Page = defineComponent(() => {
    const run = useQueryRun(queryRun.id);
    const statement = useMethod(getSqlStatementOptions, { sqlStatementId: queryRun.sqlStatementId });
    const pages = useInfiniteResults<{ name: string }>({ sql: "select name from cars", pageSize: 1 });
    const more = () => void pages.fetchNextPage();
    return () => [
      h("p", `${run.data.value?.state} ${statement.data.value?.sqlStatement.sql} `),
      h(
        "button",
        { onClick: more },
        pages.data.value?.pages.flatMap((page) => page.rows.map(({ name }) => name)),
      ),
    ];
  });
  using page = openPage(client, () => h(Page));
  await page.shows("QUERY_STATE_SUCCESS select cars fiat");
  page.container.querySelector("button")?.click();
  await page.shows("QUERY_STATE_SUCCESS select cars fiatford");
});

it("starts panels in view first, and limits the concurrency", async () => {
  const { mock, client, created } = createService();
  mock.when(/panel/).rows([{ n: 1 }]);
  const panel = (sql: string, top: number, priority = 0): Component =>
    defineComponent(() => {
      const element = ref<Element>();
      const { data } = useQueryResults({ sql }, { element, priority });
      const put = (paragraph: unknown) => {
        if (!(paragraph instanceof HTMLElement)) return;
        paragraph.getBoundingClientRect = () => new DOMRect(0, top, 100, 100);
        element.value = paragraph;
      };
      return () => h("p", { ref: put }, data.value ? "rows " : "… ");
    });
  const panels = [panel("panel far below", 5000), panel("panel in view", 0), panel("panel in view, urgent", 0, 1)];
  using page = openPage(client, () => h(QuernDashboard, { concurrency: 1 }, () => panels.map((Panel) => h(Panel))));
  await page.shows("rows rows rows ");
  expect(created).toEqual(["panel in view, urgent", "panel in view", "panel far below"]);
});

it("sends fifty panels as a few requests, and renders each panel twice", async () => {
  const { mock, client, sent } = createService();
  mock.when(/cars/).rows(rows);
  const renders = vi.fn();
  const panels = fiftyPanels.statements.map((sql) =>
    defineComponent(() => {
      const { data, error } = useQueryResults<{ name: string }>({ sql });
      return () => {
        renders();
        return h("p", error.value?.message ?? data.value?.rows.map(({ name }) => name).join(","));
      };
    }),
  );
  using page = openPage(client, () => h(QuernDashboard, () => panels.map((Panel) => h(Panel))));
  await page.shows("fiat,ford".repeat(50));
  expect(sent).toHaveLength(fiftyPanels.requests);
  expect(renders).toHaveBeenCalledTimes(fiftyPanels.renders);
});

const program = `
export { VueQueryPlugin } from "@tanstack/vue-query";
export { createApp } from "vue";
export { default as App } from "./App.vue";
`;

it("the guide shows a page that fills with rows", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ origin: "USA", cars: 22 }]);
  await using server = await listen(mock);
  // Below this package, where the components find what they import.
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeComponents(
    folder,
    snippets("docs/guides/vue-and-svelte.md").filter(({ language }) => language === "vue"),
  );
  const page = await bundlePage(folder, program, {
    define: {
      "import.meta.env.VITE_QUERN_URL": JSON.stringify(server.url),
      "import.meta.env.VITE_QUERN_API_KEY": JSON.stringify(mock.apiKey),
    },
  });

  const guide = await import(page);
  guide.createApp(guide.App).use(guide.VueQueryPlugin).mount(document.body);
  await vi.waitFor(() => expect(document.body.textContent).toContain("USA: 22"), patience);
});
