import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createMetrics } from "../../src/operation/metrics.ts";

it("tells the delay of the event loop since it was last told, not since the start", async () => {
  const metrics = createMetrics(async () => ({ ready: 0, running: 0, streaming: 0 }));
  const delay = async () => Number(/quantile="0.99"} (\S+)/.exec(await metrics.text())?.[1]);
  const block = async (): Promise<void> => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  };
  await block(); // the first time that is measured has no beginning
  await block();
  const blocked = await delay();
  expect(blocked).toBeGreaterThan(0.05);
  expect(await delay()).toBeLessThan(blocked);
  metrics.close();
});
