import { configDefaults, defineConfig, type TestProjectConfiguration } from "vitest/config";

const LONG = "**/*.long.test.{ts,tsx}";
const TESTS = "{packages,tools}/*/test/**/*.test";

const long: TestProjectConfiguration[] = [{ extends: true, test: { name: "long", include: [LONG] } }];

/** A process for each file costs more than most files do. Tests of pages need it: the page is a global of the process. */
const quick: TestProjectConfiguration[] = [
  { extends: true, test: { name: "node", include: [`${TESTS}.ts`], isolate: false } },
  { extends: true, test: { name: "pages", include: [`${TESTS}.tsx`] } },
];

export default defineConfig(({ mode }) => ({
  test: {
    projects: mode === "long" ? long : quick,
    exclude: mode === "long" ? configDefaults.exclude : [...configDefaults.exclude, LONG],
    pool: "forks",
    // Long tests measure: one at a time.
    ...(mode !== "long" && { maxWorkers: "100%" }),
    testTimeout: mode === "long" ? 600_000 : 20_000,
    hookTimeout: mode === "long" ? 600_000 : 30_000,
  },
}));
