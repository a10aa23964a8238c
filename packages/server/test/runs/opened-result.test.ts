import type { ResultStore } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { openedResult } from "../../src/runs/opened-result.ts";
import { createRoom } from "../scheduler/room.ts";

const run = createRun(submission().run, 0);

function opened(open: ResultStore["open"]) {
  const { changes, results } = createRoom(() => {});
  return openedResult(run, { changes, results: { ...results, open } });
}

it("gives the file of a result, which stays until it is released", async () => {
  const release = vi.fn(async () => {});
  const file = await opened(async () => ({ paths: ["a.parquet"], release }));
  expect([file?.path, release.mock.calls.length]).toEqual(["a.parquet", 0]);
  await file?.release();
  expect(release).toHaveBeenCalledOnce();
});

it.each([[], ["a.parquet", "b.parquet"]])(
  "refuses a result of other than one file, and releases it",
  async (...paths) => {
    const release = vi.fn(async () => {});
    await expect(opened(async () => ({ paths, release }))).rejects.toThrow(
      `the result of run ${run.id} has ${paths.length} files; expected one`,
    );
    expect(release).toHaveBeenCalledOnce();
  },
);

it("says that the engine failed where the store cannot tell, and why to the operator", async () => {
  const cause = new Error("the disk is away");
  await expect(opened(() => Promise.reject(cause))).rejects.toMatchObject({ code: -32161, cause });
});
