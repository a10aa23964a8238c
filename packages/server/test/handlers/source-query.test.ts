import { EngineLostError, type Source, StatementError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import type { Context, Service } from "../../src/handlers/context.ts";
import { createInspections, type Inspections } from "../../src/handlers/inspection-permits.ts";
import { withSource } from "../../src/handlers/source-query.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { idleKind } from "../fixture.ts";

const source = { name: "lake", provider: "test", kind: "test", path: null, lowerCaseColumns: false } as Source;

/** Parts of the service for one call, with the order of what it acquires and releases. */
function inspected(describeTimeoutSeconds = 60) {
  const order: string[] = [];
  const data = { revision: "seven", release: async () => void order.push("data") };
  const kind = { ...idleKind, hold: async () => data };
  const acquire = vi.fn(async (_: string, __: unknown, signal: AbortSignal) => {
    signal.throwIfAborted();
    return () => void order.push("permit");
  });
  const usage = { spent: async () => undefined, inspected: () => {} };
  const service = {
    sources: { kindOf: () => kind },
    limits: { describeTimeoutSeconds },
    inspections: { acquire },
    limitsOf: async () => ({}),
    telemetry: { usage },
  };
  const controller = new AbortController();
  const context = { principal: { tenantId: "acme", userId: "ann" }, signal: controller.signal };
  const ask = <T>(call: Parameters<typeof withSource<T>>[3]) =>
    withSource(source, service as unknown as Service, context as unknown as Context, call);
  return { ask, order, data, kind, acquire, controller };
}

it("calls the adapter with the source, its data and the caller, and then releases the data and the permit", async () => {
  const { ask, order, data, kind, acquire } = inspected();
  const call = vi.fn(async () => "answer");
  expect(await ask(call)).toBe("answer");
  const query = { source, data, tenantId: "acme", userId: "ann" };
  expect(call.mock.calls).toEqual([[kind, query, expect.any(AbortSignal)]]);
  expect([acquire.mock.calls[0]?.[0], order]).toEqual(["acme", ["data", "permit"]]);
});

it("ends its time limit with the call", async () => {
  const [timers, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
  await inspected(77).ask(async () => "answer");
  const limit = timers.mock.results[timers.mock.calls.findIndex(([, ms]) => ms === 77_000)]?.value;
  expect(limit).toBeDefined();
  expect(cleared).toHaveBeenCalledWith(limit);
  vi.restoreAllMocks();
});

it.each([
  ["another error", new Error("broken"), 1],
  ["an error of the statement", new StatementError({ name: "X", message: "", data: { category: "USER" } }), 1],
  ["the loss of the engine", new EngineLostError("lost"), 2],
])("passes %s on, with everything released", async (_, error, calls) => {
  const { ask, order } = inspected();
  const call = vi.fn(() => Promise.reject(error));
  await expect(ask(call)).rejects.toBe(error);
  expect([call.mock.calls.length, order]).toEqual([calls, ["data", "permit"]]);
});

it("does not repeat a call whose client has gone", async () => {
  const { ask, controller } = inspected();
  const call = vi.fn(async () => {
    controller.abort();
    throw new EngineLostError("lost");
  });
  await expect(ask(call)).rejects.toThrow("lost");
  expect(call).toHaveBeenCalledOnce();
});

it("reports a full disk of the engine", async () => {
  const { ask } = inspected();
  const full = new StatementError({ name: "StorageFull", message: "", data: { category: "RESOURCE" } });
  await expect(ask(() => Promise.reject(full))).rejects.toMatchObject({ data: { retryAfterMs: 10_000 }, cause: full });
});

it("releases the permit if the data cannot be prepared", async () => {
  const { ask, order, kind } = inspected();
  kind.hold = () => Promise.reject(new Error("no data"));
  await expect(ask(async () => 1)).rejects.toThrow("no data");
  expect(order).toEqual(["permit"]);
});

it("takes any error after the deadline for a timeout", async () => {
  const { ask } = inspected(0.001);
  const late = (_: unknown, __: unknown, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("interrupted"))));
  await expect(ask(late)).rejects.toMatchObject({
    name: "EngineLostError",
    cause: { message: "interrupted" },
    message: expect.stringContaining("longer than 0.001 seconds"),
  });
});

/** Semaphores of two servers that share a store, for the inspections of one tenant. */
function places(isShared = true) {
  const { leases } = openSqliteStore(":memory:");
  const logged: string[] = [];
  const log = { error: (message: string) => void logged.push(message) };
  const options = { store: { isShared, leases }, maxRunningRuns: 1, maxRunningRunsOfSource: 1, maxMs: 60_000, log };
  return { leases, logged, create: () => createInspections(options) };
}

const signal = new AbortController().signal;

/** Tells if a tenant gets a permit at once, which it gives back. */
async function isFree(inspections: Inspections, tenantId: string, of: Pick<Source, "name" | "address"> = source) {
  const leave = await inspections.acquire(tenantId, of, AbortSignal.timeout(100)).catch(() => undefined);
  leave?.();
  return leave !== undefined;
}

it("admits the inspections of a tenant on all servers together, and those of another tenant meanwhile", async () => {
  const { create } = places();
  const [one, other] = [create(), create()];
  const leave = await one.acquire("acme", source, signal);
  expect([await isFree(other, "rival"), await isFree(other, "acme")]).toEqual([true, false]);
  const next = other.acquire("acme", source, signal);
  leave();
  (await next)();
  expect(await isFree(one, "acme")).toBe(true);
});

it.each([true, false])("holds up no source for the engine of another one (shared store: %s)", async (isShared) => {
  const inspections = places(isShared).create();
  const remote = { name: "far", address: "trino://host/far" };
  const leave = await inspections.acquire("acme", remote, signal);
  expect(await isFree(inspections, "acme", remote)).toBe(false);
  expect(await isFree(inspections, "acme")).toBe(true);
  expect(await isFree(inspections, "acme", { ...remote, name: "near" })).toBe(true);
  leave();
  expect(await isFree(inspections, "acme", remote)).toBe(true);
});

it("gives the permit of the store back if this server admits no inspection", async () => {
  const { create, leases } = places();
  const inspections = create();
  await inspections.acquire("rival", source, signal);
  expect(await isFree(inspections, "acme")).toBe(false);
  expect(await leases.take("inspections acme", 1, { owner: "next", ms: 1 })).toBe(true);
});

it("logs a permit that cannot be given back", async () => {
  const { create, leases, logged } = places();
  const leave = await create().acquire("acme", source, signal);
  vi.spyOn(leases, "release").mockRejectedValue(new Error("away"));
  leave();
  await new Promise(setImmediate);
  expect(logged).toEqual(["an inspection could not release its permit, which is free when its lease ends"]);
});
