import { afterEach, expect, it, vi } from "vitest";
import { thisMachine } from "../../src/processes/machine.ts";

afterEach(() => void vi.unstubAllEnvs());

it.runIf(process.platform !== "win32")("finds programs in the folders of PATH, or in those of the system", () => {
  vi.stubEnv("PATH", "/nowhere:/bin:/usr/bin");
  expect(thisMachine().find("sh")).toBe("/bin/sh");
  expect(thisMachine().find("quern-absent")).toBeUndefined();
  vi.stubEnv("PATH", "/nowhere");
  expect(thisMachine().find("sh")).toBeUndefined();
  vi.stubEnv("PATH", undefined);
  expect(thisMachine().find("sh")).toMatch(/^\/(?:usr\/)?bin\/sh$/);
});

it.runIf(process.platform !== "win32")("returns the output of a program that succeeds, without the environment", () => {
  const { output, platform } = thisMachine();
  vi.stubEnv("QUERN_SECRET", "hush");
  expect(output(["/bin/sh", "-c", 'echo "$1 $QUERN_SECRET"', "sh", "a b"])).toBe("a b \n");
  expect(output(["/bin/sh", "-c", "echo a; exit 1"])).toBeUndefined();
  expect(output(["/nowhere/sh"])).toBeUndefined();
  expect(platform).toBe(process.platform);
});

it.runIf(process.platform === "linux")(
  "measures the memory of processes on Linux, which has a score for their end",
  () => {
    expect(thisMachine()).toMatchObject({ canReadMemory: true, hasOutOfMemoryScore: true });
  },
);
