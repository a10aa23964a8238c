// @vitest-environment happy-dom
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@quern/client";
import { createMockServer, type MockServer } from "@quern/mock-server";
import { QuernProvider } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterAll, afterEach, expect, it, onTestFinished, vi } from "vitest";
import { snippets } from "../src/snippets.ts";
import { root } from "../src/tree.ts";

const folder = join(root, "tools/repo-rules/.snippets/recipes-guide");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

mkdirSync(folder, { recursive: true });
for (const { code } of snippets("docs/guides/recipes.md"))
  writeFileSync(join(folder, code.match(/^\/\/ (\S+)$/m)?.[1] ?? "unnamed.tsx"), code);
const recipe = (name: string) => import(join(folder, name));

/** Shows a part of a page. */
function show(mock: Pick<MockServer, "url" | "apiKey" | "fetch">, part: ReactNode, queryClient = new QueryClient()) {
  const page = document.createElement("main");
  const root = createRoot(page);
  document.body.append(page); // a form that is in no document is not submitted
  onTestFinished(() => {
    root.unmount();
    page.remove();
  });
  root.render(
    <QueryClientProvider client={queryClient}>
      <QuernProvider client={createClient({ url: mock.url, apiKey: mock.apiKey, fetch: mock.fetch })}>
        {part}
      </QuernProvider>
    </QueryClientProvider>,
  );
  const press = (name: string) =>
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === name)?.click();
  const items = () => [...page.querySelectorAll("li")].map(({ textContent }) => textContent);
  return { page, press, items };
}

/** Types a text as a user does: React reads the value of an input when it receives the event. */
function type(page: HTMLElement, element: "input" | "textarea", text: string): void {
  const input = page.querySelector(element);
  if (input === null) throw new Error(`no ${element}`);
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value")?.set?.call(input, text);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

const waitFor = (check: () => void) => vi.waitFor(check, 10_000);

it("reads a long result page by page", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows(Array.from({ length: 150 }, (_, index) => ({ name: `car ${index}` })));
  const { CarList } = await recipe("car-list.tsx");
  const { page, press, items } = show(mock, <CarList />);
  await waitFor(() => expect(items()).toHaveLength(100));
  expect(page.querySelector("p")?.textContent).toBe("150 cars");
  press("More");
  await waitFor(() => expect(items()).toHaveLength(150));
  expect(page.querySelector("button")).toBeNull();
});

it("suspends until the rows are there", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ origin: "USA", cars: 254 }]);
  const { Origins } = await recipe("origins.tsx");
  const { page, items } = show(mock, <Origins />);
  await waitFor(() => expect(page.textContent).toBe("…"));
  await waitFor(() => expect(items()).toEqual(["USA: 254"]));
});

it("passes values to SQL, and reads the rows of a new value", async () => {
  const mock = createMockServer();
  for (const [origin, name] of [
    ["Japan", "datsun"],
    ["Europe", "fiat"],
  ])
    mock.when({ sql: /from cars/, parameters: [origin] }).rows([{ name }]);
  const { CarsOf } = await recipe("cars-of.tsx");
  const { page, items } = show(mock, <CarsOf />);
  await waitFor(() => expect(items()).toEqual(["datsun"]));
  type(page, "input", "Europe");
  await waitFor(() => expect(items()).toEqual(["fiat"]));
});

it("requests a download of the rows and the order that the page shows", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ name: "buick", horsepower: 225 }]);
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  const { DownloadButton } = await recipe("download-button.tsx");
  const { page, press } = show(mock, <DownloadButton />);
  await waitFor(() => expect(page.querySelector("button")?.disabled).toBe(false));
  press("Download CSV");
  await waitFor(() => expect(String(assign.mock.calls[0]?.[0])).toContain("/results/"));
  const call = mock.history.calls.find(({ method }) => method === "getQueryRunDownload");
  expect(call?.params).toMatchObject({
    filters: [{ column: "horsepower", gte: 150 }],
    sortBy: [{ column: "horsepower", direction: "desc" }],
    fileName: "Fast cars",
  });
});

it("signs in again after HTTP 401", async () => {
  const { createQueryClient } = await recipe("query-client.ts");
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  const mock = createMockServer();
  const { CarsOf } = await recipe("cars-of.tsx");
  show({ url: mock.url, apiKey: "revoked", fetch: mock.fetch }, <CarsOf />, createQueryClient());
  await waitFor(() => expect(assign.mock.calls).toEqual([["/login"]]));
});

it("runs the SQL that a user types, shows its error and runs it again", async () => {
  const mock = createMockServer();
  mock.when("select typo").fails({ errorName: "BinderError", errorMessage: "there is no column typo" });
  mock.when("select 1").rows([{ n: 1 }]);
  const { SqlBox } = await recipe("sql-box.tsx");
  const { page, press } = show(mock, <SqlBox />);
  await waitFor(() => expect(page.querySelector("button")?.disabled).toBe(true));
  type(page, "textarea", "select typo");
  await waitFor(() => expect(page.querySelector("button")?.disabled).toBe(false));
  press("Run");
  await waitFor(() => expect(page.querySelector("pre")?.textContent).toContain("there is no column typo"));
  type(page, "textarea", "select 1");
  press("Run");
  await waitFor(() => expect(page.querySelector("td")?.textContent).toBe("1"));
  mock.when("select 1").rows([{ n: 2 }]);
  press("Run");
  await waitFor(() => expect(page.querySelector("td")?.textContent).toBe("2"));
});

it("keeps the rows after a reload, and forgets them", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ name: "datsun" }]);
  const { keepRows, forgetRows } = await recipe("saved-cache.ts");
  const { CarsOf } = await recipe("cars-of.tsx");
  const queryClient = new QueryClient();
  keepRows(queryClient);
  const { items } = show(mock, <CarsOf />, queryClient);
  await waitFor(() => expect(items()).toEqual(["datsun"]));
  window.dispatchEvent(new Event("pagehide"));

  const reloaded = new QueryClient();
  keepRows(reloaded);
  const offline = { url: mock.url, apiKey: mock.apiKey, fetch: () => Promise.reject(new Error("offline")) };
  const again = show(offline, <CarsOf />, reloaded);
  await waitFor(() => expect(again.items()).toEqual(["datsun"]));
  forgetRows();
  expect(localStorage.getItem("quern-cache")).toBeNull();
});
