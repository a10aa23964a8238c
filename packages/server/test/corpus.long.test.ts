import { conform, formatReport } from "@quern/conformance";
import { expect, it } from "vitest";
import { apiKey, startServer } from "./fixture.ts";

it("passes the whole conformance corpus, its properties as often as `quern conform` tries them", async () => {
  // The properties create more uploads than the default allows, and the cases about uploads would end early.
  await using server = await startServer({ limits: { maxUploads: 1_000, maxUploadedBytes: 1e12 } });
  const startedAt = performance.now();
  const report = await conform({ url: server.url, apiKey });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
  console.log(`${report.results.length} cases in ${Math.round(performance.now() - startedAt)} ms`);
});
