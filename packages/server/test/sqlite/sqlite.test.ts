import { rm } from "node:fs/promises";
import { join } from "node:path";
import { storeContract, submission } from "@quern/adapter/contract";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

describe("a store on SQLite", () => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    const directory = await temporaryDirectory();
    let time = 0;
    const store = openSqliteStore(join(directory, "test.db"), { clock: { now: () => time } });
    try {
      await run({
        store,
        setTime(now) {
          time = now;
        },
      });
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
  });
});

it("reclaims the runs of another owner at once for a sole worker", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "test.db");
  const clock = createTestClock();
  const before = openSqliteStore(path, { clock });
  await before.runs.submit(submission());
  const claimed = await before.runs.claim({ owner: "the last server", ms: 30_000 });
  const beside = openSqliteStore(path, { clock });
  expect(await beside.runs.reclaim("it has ended", [])).toEqual([]);
  await Promise.all([before.close(), beside.close()]);

  const after = openSqliteStore(path, { clock, soleWorker: true });
  expect(await after.runs.reclaim("it has ended", [])).toMatchObject([
    { lost: { id: claimed?.run.id, attempt: 1 }, run: { state: "QUERY_STATE_READY", lostWorkers: 1 } },
  ]);
  await after.close();
  await rm(directory, { recursive: true });
});

it("gives two servers that make a setting at once the text of one of them", async () => {
  const directory = await temporaryDirectory();
  const stores = [1, 2].map(() => openSqliteStore(join(directory, "test.db")));
  const kept = await Promise.all(stores.map(({ settings }, server) => settings.getOrCreate("shared", String(server))));
  expect(kept).toEqual([kept[0], kept[0]]);
  for (const { settings } of stores) expect(await settings.getOrCreate("shared", "later")).toBe(kept[0]);
  for (const store of stores) await store.close();
  await rm(directory, { recursive: true });
});

it("does not notify subscribers of a change that was rolled back", async () => {
  const store = openSqliteStore(":memory:");
  const logged: string[] = [];
  store.subscribe(({ runId }) => logged.push(runId));
  const again = submission();
  await store.runs.submit(again);
  await expect(store.runs.submit(again)).rejects.toThrow("UNIQUE");
  expect(logged).toEqual([again.run.id]);
  await store.close();
});
