import { test } from "@playwright/test";
import { routeToMock } from "@quern/mock-server/playwright";
import { perform } from "./scenario.mjs";

test("the scenario", async ({ page }) => {
  await page.route("https://app.example/", (route) => route.fulfill({ contentType: "text/html", body: "<p>jobs" }));
  await page.goto("https://app.example/");
  await perform("Playwright", async (mock) => {
    await routeToMock(page, mock, "/api");
    return (method, params) =>
      page.evaluate(
        async ([apiKey, call]) => {
          const headers = { "content-type": "application/json", "x-api-key": apiKey };
          const response = await fetch("/api/json-rpc", { method: "POST", headers, body: JSON.stringify(call) });
          return (await response.json()).result;
        },
        [mock.apiKey, { jsonrpc: "2.0", id: 1, method, params: [params] }],
      );
  });
});
