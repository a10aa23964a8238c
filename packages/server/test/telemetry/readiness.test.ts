import { expect, it, onTestFinished, vi } from "vitest";
import { createReadiness, createSystems } from "../../src/telemetry/readiness.ts";

it("names the systems that fail or do not answer within two seconds", async () => {
  const readiness = createReadiness(
    () => true,
    createSystems({
      store: () => new Promise(() => {}),
      results: () => Promise.reject(new Error("away")),
      other: async () => {},
    }),
  );
  expect(await readiness()).toEqual({ status: "unavailable", missing: ["store", "results"] });
});

it("checks each system once a second at most, and none while the server shuts down", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let isOpen = true;
  const check = vi.fn(async () => {});
  const readiness = createReadiness(() => isOpen, createSystems({ store: check }));
  await Promise.all([readiness(), readiness()]);
  vi.advanceTimersByTime(999);
  expect(await readiness()).toEqual({ status: "ready" });
  expect(check).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  check.mockRejectedValue(new Error("away"));
  expect(await readiness()).toEqual({ status: "unavailable", missing: ["store"] });
  isOpen = false;
  expect(await readiness()).toEqual({ status: "draining" });
  expect(check).toHaveBeenCalledTimes(2);
});
