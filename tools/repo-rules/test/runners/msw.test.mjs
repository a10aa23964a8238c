import { test } from "node:test";
import { mswHandlers } from "@quern/mock-server/msw";
import { clientOf, perform } from "./scenario.mjs";

const { MSW: name = "msw" } = process.env;
const { http } = await import(name);
const { setupServer } = await import(`${name}/node`);

test("the scenario", () =>
  perform(`MSW ${name}`, (mock) => {
    const url = "https://quern.example";
    setupServer(...mswHandlers(http, mock, url)).listen({ onUnhandledRequest: "bypass" });
    return clientOf({ url, apiKey: mock.apiKey });
  }));
