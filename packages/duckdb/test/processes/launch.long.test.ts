import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "vitest";
import { startChild } from "../../src/processes/child.ts";
import { onMachineWith } from "./machine.ts";

onMachineWith("limits")("reports the limit of processor time and not the signal", async () => {
  const module = new URL("./confined.ts", import.meta.url);
  const limits = { maxMemoryBytes: 2_000_000_000, maxProcessorSeconds: 1 };
  const child = startChild({ module, directory: realpathSync(tmpdir()), ...limits });
  const message = expect.stringContaining("more than 1 s of processor time");
  const failure = { name: "LimitExceeded", message, data: { category: "RESOURCE" } };
  await expect(child.call("spin", null)).rejects.toMatchObject({ failure });
});
