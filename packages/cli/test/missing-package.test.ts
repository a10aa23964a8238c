import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const optionalPackage = "../src/optional-package.ts";

beforeAll(() => {
  vi.resetModules();
  vi.doMock(optionalPackage, () => ({
    optionalPackage: (command: string) => Promise.reject(new Error(`missing package of ${command}`)),
  }));
});
afterAll(() => {
  vi.doUnmock(optionalPackage);
  vi.resetModules();
});

it.each([
  "configuration",
  "conform",
  "conform-client",
  "doctor",
  "keys",
  "mock",
  "serve",
  "tenants",
  "usage",
  "verify",
])("each action of quern %s that needs a package names the command", async (command) => {
  const actions: Record<string, unknown> = await import(`../src/commands/${command}/action.ts`);
  const reported: string[] = [];
  for (const action of Object.values(actions)) {
    if (typeof action !== "function") continue;
    const stderr = new PassThrough();
    const process = { cwd: () => ".", env: {}, stderr, stdout: new PassThrough(), exitCode: 0 };
    await action.call({ process }, { json: false, dataDir: "data", maxRunningRuns: { value: 1 } }, "argument");
    reported.push(String(stderr.read()));
  }
  expect(reported.length).toBeGreaterThan(0);
  for (const text of reported) expect(text).toContain(`missing package of ${command}`);
});
