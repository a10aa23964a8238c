import { UnavailableError } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { expect, it, vi } from "vitest";
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

const noRows = { columns: [], rowCount: 0, totalBytes: 0 };

/** Run with a result whose files are missing. */
async function withoutFiles() {
  const open = vi.fn(async () => undefined);
  const deps = createDependencies(() => {}, { open });
  const id = await deps.submit();
  await deps.store.runs.claim({ owner: "server", ms: 30_000 });
  await deps.changes.apply(id, { type: "executed", attempt: 1 });
  await deps.changes.commit(id, { type: "committed", attempt: 1, result: noRows });
  const run = await deps.store.runs.run(id);
  if (run === undefined) throw new Error("there is no run");
  return { deps, run, open };
}

it("archives a run whose files are missing", async () => {
  const { deps, run, open } = await withoutFiles();
  const rows = { start: 0, end: 5 } as unknown as Parameters<typeof deps.results.open>[1];
  expect(await openResult(run, deps, rows)).toBeUndefined();
  expect(open.mock.calls).toEqual([[run, rows]]);
  expect((await deps.store.runs.run(run.id))?.archivedAt).toBe(deps.clock.now());
});

it("has no result if the disk is too full to archive the run, and reports other failures of the store", async () => {
  const { deps, run } = await withoutFiles();
  const failing = (error: Error) => ({ ...deps, changes: { ...deps.changes, apply: () => Promise.reject(error) } });
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  expect(await openResult(run, failing(full))).toBeUndefined();
  await expect(openResult(run, failing(new Error("broken")))).rejects.toThrow("broken");
});

it("passes on that the result store cannot be reached", async () => {
  const away = new UnavailableError("away");
  const deps = createDependencies(() => {}, { open: () => Promise.reject(away) });
  const { run } = accepted(await deps.store.runs.submit(submission()));
  await expect(openResult(run, deps)).rejects.toBe(away);
});
