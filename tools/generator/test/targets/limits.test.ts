import { expect, it } from "vitest";
import { reference } from "../../src/targets/reference/target.ts";
import { server } from "../../src/targets/server/target.ts";
import { outputOf } from "./support.ts";

it("writes each limit with its unit and default for callers in TypeScript", () => {
  expect(outputOf(server)["limits.ts"]).toContain(`  /**
   * Execution time after which a run fails with \`QueryRunTimedOut\`. Unit: seconds.
   *
   * @default 1,200
   */
  readonly statementTimeoutSeconds?: number;`);
});

it("writes each limit with its bounds into the reference", () => {
  const page = outputOf(reference)["limits.md"];
  expect(page).toContain("| `limits.maxDiskShare` | ");
  expect(page).toContain("| seconds | 1,200 | numbers from 0.001 to 2147483 |");
  expect(page).toContain(
    "| runs | the number of processors; `maxMemoryMegabytes` divided by 500 if that is less | whole numbers from 1 |",
  );
});
