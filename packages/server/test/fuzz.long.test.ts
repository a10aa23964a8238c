import { type SourceKind, StatementError } from "@quern/adapter";
import { conform, formatReport } from "@quern/conformance";
import { expect, it } from "vitest";
import { apiKey, idleKind, startServer } from "./fixture.ts";

const refuse = async () => {
  throw new StatementError({
    name: "ParserError",
    message: "no statement",
    data: { category: "USER", retryable: false },
  });
};
/** Runs no statements: only bodies are tested, and an engine for each statement would take hours. */
const refusing: SourceKind = { ...idleKind, begin: refuse, describe: refuse };
const tries = 1_500;

it(`answers ${tries} random and damaged bodies, each well-formed and none by an internal error`, async () => {
  await using server = await startServer({ kind: refusing });
  const only = ({ id }: { readonly id: string }) => id === "fuzz/bodies";
  const report = await conform({ url: server.url, apiKey, only, tries });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
  expect(report.results).toHaveLength(1);
  await expect(server.call("listQueryRuns", {})).resolves.toBeDefined();
});
