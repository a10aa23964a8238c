import type { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it, type Mock, vi } from "vitest";
import { compactDatabase, openDatabase } from "../../src/sqlite/database.ts";
import { type Pause, replacePauses } from "../pauses.ts";

let pauses: Mock<Pause>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  pauses = replacePauses(async (ms) => void vi.advanceTimersByTime(Number(ms)));
  return () => void vi.useRealTimers();
});

const busy = Object.assign(new Error("database is locked"), { errcode: 5 });
const inUse =
  "Another process uses the store, so its files may still have bytes of the deleted records; try again later.";

/** Database that is locked for some calls of each step. */
function lockedFor(vacuums: number, checkpoints: number) {
  const left = { vacuums, checkpoints };
  const texts: string[] = [];
  const database = {
    exec(text: string) {
      texts.push(text);
      if (left.vacuums-- > 0) throw busy;
    },
    prepare: (text: string) => ({
      get() {
        texts.push(text);
        return { busy: left.checkpoints-- > 0 ? 1 : 0 };
      },
    }),
  } as unknown as DatabaseSync;
  const count = (text: string) => texts.filter((each) => each === text).length;
  return {
    database,
    counts: () => [count("VACUUM"), count("PRAGMA wal_checkpoint(TRUNCATE)"), texts.length],
  };
}

it("retries each step every 100 ms until the database is no longer locked", async () => {
  const { database, counts } = lockedFor(3, 2);
  await compactDatabase(database);
  expect(counts()).toEqual([4, 3, 7]);
  expect(pauses.mock.calls).toEqual(Array(5).fill([100]));
});

it.each([
  ["the database", 1_000, 0, [300, 0, 300]],
  ["the log", 0, 1_000, [1, 300, 301]],
] as const)("fails after half a minute in which another process uses %s", async (_, vacuums, checkpoints, calls) => {
  const { database, counts } = lockedFor(vacuums, checkpoints);
  await expect(compactDatabase(database)).rejects.toThrow(inUse);
  expect(counts()).toEqual(calls);
});

it("does not retry a step that fails for another reason", async () => {
  const database = openDatabase(":memory:");
  database.exec("BEGIN");
  await expect(compactDatabase(database)).rejects.toThrow("cannot VACUUM from within a transaction");
  expect(pauses).not.toHaveBeenCalled();
  database.close();
});
