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

const folder = join(root, "tools/house/.snippets/dashboard-guide");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The guide's files, each named by its first line. */
const files = snippets("docs/guides/dashboard.md").map(({ code }) => ({
  name: code.match(/^\/\/ (\S+)$/m)?.[1],
  code,
}));
mkdirSync(folder, { recursive: true });
for (const { name, code } of files) writeFileSync(join(folder, name ?? "unnamed.tsx"), code);
// The guide's own test becomes one of this file.
await import(join(folder, "dashboard.test.tsx"));

describe("the guide to dashboards", () => {
  it("has these files", () => {
    const pages = ["dashboard.tsx", "main.tsx", "stop-button.tsx", "dashboard.test.tsx", "server.tsx"];
    expect(files.map(({ name }) => name)).toEqual(pages);
  });

  it("shows a page that fills with rows", async () => {
    const mock = createMockServer();
    mock.when(/from cars/).rows([{ origin: "USA", cars: 254 }]);
    const door = await listen(mock);
    vi.stubEnv("VITE_QUERN_URL", door.url);
    vi.stubEnv("VITE_QUERN_API_KEY", mock.apiKey);

    await import(join(folder, "main.tsx"));

    await vi.waitFor(() => expect(document.body.textContent).toContain("USA254"), 10_000);
    await door.close();
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
