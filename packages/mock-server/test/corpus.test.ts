import { conform, formatReport } from "@quern/conformance";
import { expect, it } from "vitest";
import { createMockServer } from "../src/index.ts";
import { listen } from "../src/listen.ts";

it("passes the whole conformance corpus", async () => {
  const mock = createMockServer();
  mock.when("select 1 as n").rows([{ n: 1 }]);
  await using server = await listen(mock);
  const report = await conform({ url: server.url, apiKey: mock.apiKey, tries: 10 });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
  expect(report.results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(report.results.length).toBeGreaterThan(400);
}, 120_000); // sends the whole corpus
