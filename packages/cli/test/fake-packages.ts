import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import type { quern, startQuern } from "./quern.ts";

const optionalPackage = "../src/optional-package.ts";

/** Command line whose optional packages are replaced, and the calls of their functions. */
interface FakePackages {
  readonly calls: unknown[][];
  /** Creates a function that records its name and arguments, and returns a result or throws an error. */
  fake(name: string, result?: unknown): (...args: readonly unknown[]) => Promise<unknown>;
  readonly quern: typeof quern;
  readonly startQuern: typeof startQuern;
}

/** Replaces the optional packages of the command line for the tests of a file. The caller fills `packages`. */
export function withFakePackages(packages: Record<string, object>): FakePackages {
  const calls: unknown[][] = [];
  let line: typeof import("./quern.ts");
  beforeAll(async () => {
    vi.resetModules();
    vi.doMock(optionalPackage, () => ({ optionalPackage: async (_: string, name: string) => packages[name] }));
    line = await import("./quern.ts");
  });
  beforeEach(() => void calls.splice(0));
  afterAll(() => {
    vi.doUnmock(optionalPackage);
    vi.resetModules();
  });
  return {
    calls,
    fake:
      (name, result) =>
      async (...args) => {
        calls.push([name, ...args]);
        if (result instanceof Error) throw result;
        return result;
      },
    quern: (...args) => line.quern(...args),
    startQuern: (...args) => line.startQuern(...args),
  };
}
