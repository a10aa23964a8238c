import { conform, formatReport } from "@quern/conformance";
import { expect, it } from "vitest";
import { oneProcessKind } from "../../duckdb/test/executor/one-process.ts";
import { apiKey, startServer } from "./fixture.ts";

it("passes the whole conformance corpus", async () => {
  await using server = await startServer({ kind: await oneProcessKind() });
  const report = await conform({ url: server.url, apiKey, tries: 3 });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
}, 120_000); // sends the whole corpus
