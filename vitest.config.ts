import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig, type TestProjectConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = "**/*.long.test.{ts,tsx}";
const TESTS = "{packages,tools}/*/test/**/*.test";

/** Long files of more than a minute. They start first: a worker that began one of them last would run alone at the end. */
const SLOW =
  /\/(dry-run|source-kind|move|rolling-restart|mutation\/\w+|bounded|attacks|soak|hostile|hostile-pairs|runs|full-disk|differential|bad-networks|tpch|trino|runners|client-consumers|production-guide|documents|start|seeds|nothing-lost|round-trip|mutants|small-runs|small-runs-kept|quern-mock|dashboard|day|containers|contract|pyarrow|administration|console|result|charts|editor|operation|client-runners|site)\.long\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(SLOW.test(b.moduleId)) - Number(SLOW.test(a.moduleId)));
  }
}

const long: TestProjectConfiguration[] = [
  { extends: true, test: { name: "long", include: [LONG], exclude: configDefaults.exclude } },
];

/**
 * Mocks of modules do not reach modules that another file has loaded in the same process, and a module that was loaded
 * anew under fake timers would keep them in later files.
 */
const withMocks = globSync(`${TESTS}.ts`).filter((file) =>
  /\bvi\.(?:mock|doMock|resetModules)\(|\/mocks\.ts"/.test(readFileSync(file, "utf8")),
);

/** Tests of pages need a process for each file: the page is a global of the process. */
const PAGES = [`${TESTS}.tsx`, "packages/{vue,svelte}/test/**/*.test.ts"];

/** A process for each file costs more than most files do. */
const quick: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: "node",
      include: [`${TESTS}.ts`],
      exclude: [...configDefaults.exclude, LONG, ...withMocks, ...PAGES],
      isolate: false,
    },
  },
  { extends: true, test: { name: "mocks", include: withMocks } },
  { extends: true, test: { name: "pages", include: PAGES } },
];

export default defineConfig(({ mode }) => ({
  test: {
    projects: mode === "long" ? long : quick,
    exclude: mode === "long" ? configDefaults.exclude : [...configDefaults.exclude, LONG],
    pool: "forks",
    globalSetup: ["tools/repo-rules/src/temporary-directory.ts", "packages/duckdb/test/built-processes.ts"],
    setupFiles: "tools/repo-rules/src/real-timers.ts",
    sequence: { sequencer: SlowFirst },
    // Tests often wait for processes that they have started; other workers use the processors meanwhile.
    maxWorkers: availableParallelism() + (mode === "long" ? 2 : 1),
    // For tests that hang. A quick test that needs more on a loaded machine has its own limit, with the reason on its line.
    testTimeout: mode === "long" ? 900_000 : 30_000,
    hookTimeout: mode === "long" ? 900_000 : 30_000,
    // A page shows what it has been told a moment later, and later on a loaded machine.
    expect: { poll: { timeout: 30_000 } },
  },
}));
