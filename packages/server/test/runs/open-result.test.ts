import { accepted, submission } from "@quern/adapter/contract";
import { expect, it } from "vitest";
import { openResult } from "../../src/runs/open-result.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

it("gives all files of a result in their order, and releases them together", async () => {
  let released = 0;
  const paths = ["one", "two", "three"];
  const release = async () => {
    released += 1;
  };
  const deps = createDependencies(() => {}, { open: async () => ({ paths, release }) });
  const { run } = accepted(await deps.store.runs.submit(submission()));
  const opened = await openResult(run, deps);
  expect([opened?.paths, released]).toEqual([paths, 0]);
  await opened?.release();
  expect(released).toBe(1);
});

it("says that the engine failed where the store cannot tell, and why to the operator", async () => {
  const cause = new Error("the disk is away");
  const deps = createDependencies(() => {}, { open: () => Promise.reject(cause) });
  const { run } = accepted(await deps.store.runs.submit(submission()));
  await expect(openResult(run, deps)).rejects.toMatchObject({ code: -32161, cause });
});
