import { EngineLostError, type Source } from "@quern/adapter";
import { expect, it } from "vitest";
import { createCircuitBreaker } from "../../src/sources/circuit-breaker.ts";
import { createSourceHealth } from "../../src/sources/source-health.ts";

const source = { name: "lake", provider: "test", kind: "test", path: null, lowerCaseColumns: false } as Source;
const lost = () => Promise.reject(new EngineLostError("connect ECONNREFUSED 10.1.2.3"));
const broken = () => Promise.reject(new Error("broken"));

function observed() {
  const clock = { ms: 0 };
  const reported: string[] = [];
  const log = {
    error: (message: string) => void reported.push(message),
    info: (message: string) => void reported.push(message),
  };
  const reports = {
    known: (name: string) => void reported.push(`known ${name}`),
    connectionFailed: (name: string) => void reported.push(`failed ${name}`),
    available: (name: string, isAvailable: boolean) => void reported.push(`available ${name} ${isAvailable}`),
  };
  const thresholds = { maxFailures: 2, openMs: 1_500, now: () => clock.ms };
  return { clock, reported, health: createSourceHealth({ log, reports, ...thresholds }) };
}

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

it("reports each failure, and when a source is refused and admitted again", async () => {
  const { clock, reported, health } = observed();
  expect(await errorOf(health.reaching(source, lost()))).toMatchObject({ failure: { name: "DataSourceUnavailable" } });
  const failure = ["failed lake", "the data source lake could not be reached"];
  expect(reported.splice(0)).toEqual([...failure, "known lake"]);
  expect(health.isRefused(source)).toBe(false);
  await errorOf(health.preparing(source, lost()));
  expect(reported.splice(0)).toEqual([
    ...failure,
    "available lake false",
    "queries on the data source lake fail at once until it can be reached",
  ]);
  expect(health.isRefused(source)).toBe(true);
  clock.ms = 1;
  expect(() => health.admit(source)).toThrow("tries again in 2 s");
  clock.ms = 1_500;
  health.admit(source);
  expect(health.isRefused(source)).toBe(true); // the probe is under way
  expect(await health.reaching(source, Promise.resolve(7))).toBe(7);
  expect(reported.splice(0)).toEqual(["available lake true", "the data source lake can be reached again"]);
  await health.reaching(source, Promise.resolve(7));
  expect(reported).toEqual([]);
});

it("takes no success of a step without an engine for an available engine", async () => {
  const { health } = observed();
  await errorOf(health.reaching(source, lost()));
  await health.preparing(source, Promise.resolve());
  await errorOf(health.reaching(source, lost()));
  expect(health.isRefused(source)).toBe(true);
});

it("admits the next probe after one that failed for another reason, whose error is unchanged", async () => {
  const { clock, health } = observed();
  await errorOf(health.reaching(source, lost()));
  await errorOf(health.reaching(source, lost()));
  clock.ms = 1_500;
  health.admit(source);
  await expect(health.reaching(source, broken())).rejects.toThrow("broken");
  expect(health.isRefused(source)).toBe(false);
});

it("counts an engine that is lost by a statement, without its address in the error", async () => {
  const { health } = observed();
  const errors = [await errorOf(health.lossOf(source, lost())), await errorOf(health.lossOf(source, lost()))];
  expect(errors[1]).toMatchObject({
    name: "EngineLostError",
    message: "the connection to the data source lake was lost",
    cause: { message: "connect ECONNREFUSED 10.1.2.3" },
  });
  expect(health.isRefused(source)).toBe(true);
  await expect(health.lossOf(source, broken())).rejects.toThrow("broken");
});

it("begins anew for a source with a new address", async () => {
  const { reported, health } = observed();
  await errorOf(health.reaching(source, lost()));
  await errorOf(health.reaching(source, lost()));
  const moved = { ...source, address: { url: "http://new" } } as unknown as Source;
  expect([health.isRefused(source), health.isRefused(moved)]).toEqual([true, false]);
  expect(reported.filter((each) => each === "known lake")).toHaveLength(2);
});

it("opens by default after five failures within a minute, for 15 seconds", () => {
  let ms = 0;
  const breaker = createCircuitBreaker({ now: () => ms });
  for (let count = 0; count < 4; count += 1) breaker.failed();
  ms = 60_000;
  expect(breaker.failed()).toBe(false);
  for (let count = 0; count < 3; count += 1) breaker.failed();
  ms = 119_999;
  expect([breaker.failed(), breaker.refusal()]).toEqual([true, 15_000]);
});
