import { configDefaults, defineConfig } from "vitest/config";

const LONG = "**/*.long.test.{ts,tsx}";

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "long" ? [LONG] : ["{packages,tools}/*/test/**/*.test.{ts,tsx}"],
    exclude: mode === "long" ? configDefaults.exclude : [...configDefaults.exclude, LONG],
    pool: "forks",
    testTimeout: mode === "long" ? 600_000 : 20_000,
    hookTimeout: mode === "long" ? 600_000 : 30_000,
  },
}));
