import { expect, it } from "vitest";
import { runCaps } from "../../src/runs/run-caps.ts";

const limits = { maxQueuedRuns: 9, statementTimeoutSeconds: 1, maxPageBytes: 1, describeTimeoutSeconds: 1 };
const principal = (tenantId: string) => ({ tenantId, userId: "user", apiKeyId: "key" });

it("caps every tenant but the first key's, unless the operator says otherwise", () => {
  expect(runCaps(principal("tenant_other"), limits)).toEqual({
    maxUnfinishedRuns: 15,
    maxRunningRuns: 5,
    maxQueuedRuns: 9,
  });
  expect(runCaps(principal("tenant_first"), limits)).toEqual({ maxQueuedRuns: 9 });
  const set = { ...limits, maxUnfinishedRuns: 2, maxRunningRunsOfTenant: 1 };
  for (const tenant of ["tenant_first", "tenant_other"]) {
    expect(runCaps(principal(tenant), set)).toEqual({ maxUnfinishedRuns: 2, maxRunningRuns: 1, maxQueuedRuns: 9 });
  }
});
