import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, expect } from "vitest";
import { type Child, startChild } from "../../src/processes/child.ts";
import { createMemoryBudget } from "../../src/processes/memory-budget.ts";
import { onMachineWith } from "./machine.ts";

const children: Child[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill();
    await child.ended;
  }
});

onMachineWith("memory-watchdog")("ends the largest process if all together use too much memory", async () => {
  const memory = createMemoryBudget(400_000_000);
  const module = new URL("./confined.ts", import.meta.url);
  const [small, large] = [1, 2].map(() => {
    const child = startChild({ module, directory: realpathSync(tmpdir()), maxMemoryBytes: 2_000_000_000, memory });
    children.push(child);
    return child;
  });
  await expect(large?.call("grow", null)).rejects.toMatchObject({
    failure: {
      name: "LimitExceeded",
      message: expect.stringContaining("all processes of the service together used more than 400 MB"),
    },
  });
  expect(await small?.call("read", "/dev/null")).toBe("");
});
