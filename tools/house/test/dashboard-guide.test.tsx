// @vitest-environment happy-dom
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { afterAll, describe, expect, it, vi } from "vitest";
import { snippets } from "../src/snippets.ts";
import { root } from "../src/tree.ts";

const folder = join(root, "tools/house/.snippets/dashboard-guide");
const file = join(folder, "dashboard.tsx");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the guide to dashboards", () => {
  it("shows a page that fills with rows", async () => {
    const [snippet] = snippets("docs/guides/dashboard.md");
    expect(snippet?.language).toBe("tsx");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, snippet?.code ?? "");
    const mock = createMockServer();
    mock.when(/from cars/).rows([{ origin: "USA", cars: 254 }]);
    const door = await listen(mock);
    vi.stubGlobal("QUERN_URL", door.url);
    vi.stubGlobal("QUERN_API_KEY", mock.apiKey);

    await import(file);

    await vi.waitFor(() => expect(document.body.textContent).toContain("USA254"), 10_000);
    await door.close();
  });
});
