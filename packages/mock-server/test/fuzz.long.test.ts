import { conform, formatReport } from "@quern/conformance";
import { expect, it } from "vitest";
import { createMockServer } from "../src/index.ts";
import { listen } from "../src/listen.ts";

const tries = 1_500;

it(`answers ${tries} random and damaged bodies, each well-formed and none by an internal error`, async () => {
  const mock = createMockServer();
  await using server = await listen(mock);
  const only = ({ id }: { readonly id: string }) => id === "fuzz/bodies";
  const report = await conform({ url: server.url, apiKey: mock.apiKey, only, tries });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
  expect(report.results).toHaveLength(1);
});
