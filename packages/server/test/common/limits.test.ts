import { createHandler } from "@quern/json-rpc/handler";
import { maxPageBytes } from "@quern/query-run/page";
import { setTenant } from "@quern/server/administration";
import { expect, it } from "vitest";
import { limitDefaults, limitFault, limitsInForce } from "../../src/common/limits.ts";
import { idleKind, startServer, temporaryDirectory } from "../fixture.ts";

it.each<[object, string | undefined]>([
  [{ statementTimeoutSeconds: 2_147_483, describeTimeoutSeconds: 0.5, requestsPerSecond: 0.1 }, undefined],
  [{ maxUnfinishedRuns: 0, monthlyExecSeconds: undefined }, undefined],
  [
    { statementTimeoutSeconds: 2_147_484 },
    "Invalid limit statementTimeoutSeconds: expected at most 2147483, received 2147484",
  ],
  [{ describeTimeoutSeconds: 0 }, "describeTimeoutSeconds: expected at least 0.001, received 0"],
  [{ maxRunningRuns: 2.5 }, "maxRunningRuns: expected an integer, received 2.5"],
  [{ requestBurst: Number.NaN }, "requestBurst: expected an integer"],
  [{ colour: 1 }, "Unknown limit colour; use one of maxUnfinishedRuns, "],
  [{ requestBurts: 1 }, "Unknown limit requestBurts; did you mean requestBurst?"],
])("%o: %s", (limits, fault) => {
  if (fault === undefined) expect(limitFault(limits)).toBeUndefined();
  else expect(limitFault(limits)).toContain(fault);
});

it("keep a server from starting, not from answering", async () => {
  const started = startServer({ kind: idleKind, limits: { statementTimeoutSeconds: 3_000_000 } });
  await expect(started).rejects.toThrow("statementTimeoutSeconds: expected at most 2147483");
});

it.each([{ requestsPerSecond: 0 }, { requestBurst: 0 }, { maxRunningRuns: 2.5 }, { monthlyExecSeconds: -1 }])(
  "are refused for a tenant where its calls could not be answered: %o",
  async (settings) => {
    const set = setTenant(await temporaryDirectory(), "acme", settings);
    await expect(set).rejects.toMatchObject({ name: "AdministrationError", message: /expected .+, received/ });
  },
);

it("hold their defaults where nothing is set, and where a member is undefined", () => {
  const limits = limitsInForce({ maxBatch: undefined as never, maxDepth: 7 });
  expect(limits).toEqual({ ...limitDefaults, maxDepth: 7 });
  expect(limits.maxResultRows).toBeUndefined();
});

it("have the defaults of the packages below", () => {
  expect(limitDefaults).toMatchObject({ maxPageBytes });
  const { maxBodyBytes, maxBatch, maxDepth } = limitDefaults;
  expect(createHandler({ methods: {}, handlers: {}, authenticate: () => undefined }).limits).toMatchObject({
    maxBodyBytes,
    maxBatch,
    maxDepth,
  });
});
