// @vitest-environment happy-dom
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, createQueryRun } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { QuernProvider } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { afterAll, describe, expect, it, vi } from "vitest";
import { snippets } from "../src/snippets.ts";
import { root } from "../src/tree.ts";

const folder = join(root, "tools/repo-rules/.snippets/dashboard-guide");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files of the guide, each named by its first line. */
const files = snippets("docs/guides/dashboard.md").map(({ code }) => ({
  name: code.match(/^\/\/ (\S+)$/m)?.[1],
  code,
}));
mkdirSync(folder, { recursive: true });
for (const { name, code } of files) writeFileSync(join(folder, name ?? "unnamed.tsx"), code);
// The test in the guide becomes a test of this file.
await import(join(folder, "dashboard.test.tsx"));

describe("the guide to dashboards", () => {
  it("has these files", () => {
    const pages = [
      "dashboard.tsx",
      "main.tsx",
      "fastest.tsx",
      "names.tsx",
      "stop-button.tsx",
      "dashboard.test.tsx",
      "server.tsx",
    ];
    expect(files.map(({ name }) => name)).toEqual(pages);
  });

  it("shows a page that fills with rows", async () => {
    const mock = createMockServer();
    mock.when(/from cars/).rows([{ origin: "USA", cars: 254 }]);
    const server = await listen(mock);
    vi.stubEnv("VITE_QUERN_URL", server.url);
    vi.stubEnv("VITE_QUERN_API_KEY", mock.apiKey);

    await import(join(folder, "main.tsx"));

    await vi.waitFor(() => expect(document.body.textContent).toContain("USA254"), 10_000);
    await server.close();
  });

  it("shows columns of one name apart, and its panels are busy until they are canceled", async () => {
    const mock = createMockServer();
    const { Dashboard, panels } = await import(join(folder, "dashboard.tsx"));
    const cells = ["a", "b"];
    const twoNames = {
      columns: [
        { name: "name", type: "string" as const },
        { name: "name", type: "string" as const },
      ],
      rows: [cells, cells],
    };
    mock.when(panels[0].query.sql).rows(twoNames);
    mock.when(panels[1].query.sql).after("30s").rows([]);
    const client = createClient(mock);
    const queryClient = new QueryClient();
    const page = document.createElement("main");
    const root = createRoot(page);
    root.render(<Dashboard client={client} queryClient={queryClient} />);
    await vi.waitFor(() => expect(page.querySelector("tbody")?.textContent).toBe("abab"), 10_000);
    expect(page.querySelector("thead")?.textContent).toBe("namename");
    expect(page.querySelectorAll("[aria-busy=true]")).toHaveLength(1);
    await queryClient.cancelQueries();
    await vi.waitFor(() => expect(page.querySelectorAll("[aria-busy=true]")).toHaveLength(0), 10_000);
    expect(page.querySelector("button")?.textContent).toBe("Canceled. Try again");
    root.unmount();
  });

  it("sorts, refreshes and cancels", async () => {
    const mock = createMockServer();
    const serve = (...names: string[]) =>
      mock.when(/from cars/).rows(names.map((name, index) => ({ name, horsepower: index })));
    serve("fiat", "ford");
    const { Fastest } = await import(join(folder, "fastest.tsx"));
    const page = document.createElement("main");
    const root = createRoot(page);
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <QuernProvider client={createClient(mock)}>
          <Fastest />
        </QuernProvider>
      </QueryClientProvider>,
    );
    const rows = () => [...page.querySelectorAll("li")].map(({ textContent }) => textContent);
    const press = (name: string) =>
      [...page.querySelectorAll("button")].find(({ textContent }) => textContent === name)?.click();
    await vi.waitFor(() => expect(rows()).toEqual(["ford", "fiat"]), 10_000);
    expect(page.textContent).toMatch(/^success, as of \d/);
    press("Sort");
    await vi.waitFor(() => expect(rows()).toEqual(["fiat", "ford"]), 10_000);
    serve("seat", "skoda");
    press("Refresh");
    await vi.waitFor(() => expect(rows()).toEqual(["seat", "skoda"]), 10_000);
    mock
      .when(/from cars/)
      .after("30s")
      .rows([]);
    press("Refresh");
    await vi.waitFor(() => expect(page.textContent).toMatch(/^(queued|running)/), 10_000);
    press("Cancel");
    await vi.waitFor(() => expect(page.textContent).toMatch(/^canceled/), 10_000);
    expect(rows()).toEqual(["seat", "skoda"]);
    root.unmount();
  });

  it("stops a run", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("30s").rows([]);
    const client = createClient(mock);
    const { queryRun } = await createQueryRun(client, { sql: "select slow" });
    const { StopButton } = await import(join(folder, "stop-button.tsx"));
    const page = document.createElement("main");
    const root = createRoot(page);
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <QuernProvider client={client}>
          <StopButton queryRunId={queryRun.id} />
        </QuernProvider>
      </QueryClientProvider>,
    );
    await vi.waitFor(() => expect(page.textContent).toContain("RUNNING"), 10_000);
    page.querySelector("button")?.click();
    await vi.waitFor(() => expect(page.textContent).toBe("Stop: QUERY_STATE_CANCELED"), 10_000);
    root.unmount();
  });

  it("renders the rows on a server", async () => {
    const mock = createMockServer();
    mock.when(/from cars/).rows([{ origin: "USA", cars: 254 }]);
    const { render } = await import(join(folder, "server.tsx"));
    const { html, state } = await render(createClient(mock));
    expect(html).toContain("<td>USA</td><td>254</td>");
    expect(state.queries).toHaveLength(2);
  });
});
