import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform } from "@quern/conformance";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defects } from "./mutation/defects.ts";
import { copyMock, type Mutant } from "./mutation/mutant.ts";

let folder: string;
let mock: Awaited<ReturnType<typeof copyMock>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-mutants-"));
  mock = await copyMock(folder);
});
afterAll(() => rm(folder, { recursive: true }));

/** The checks that fail, up to the first. */
async function found({ url, apiKey }: Mutant): Promise<readonly string[]> {
  const failed: string[] = [];
  const onResult = ({ id, outcome }: { readonly id: string; readonly outcome: string }) => {
    if (outcome !== "passed") failed.push(id);
  };
  await conform({ url, apiKey, seed: 1, timeoutMs: 5_000, only: () => failed.length === 0, onResult });
  return failed;
}

describe("the conformance kit", () => {
  it("finds nothing in a copy without a defect", async () => {
    await using server = await mock.start();
    expect(await found(server)).toEqual([]);
  });

  it.each(defects)("finds that $name", async (defect) => {
    await using server = await mock.start(defect);
    expect(await found(server)).toHaveLength(1);
  });
});
