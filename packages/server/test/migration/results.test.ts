import { setTimeout as sleep } from "node:timers/promises";
import { type RecordTables, type ResultStore, UnavailableError } from "@quern/adapter";
import { expect, it } from "vitest";
import { migrateResults } from "../../src/migration/results.ts";

it("has ended all of its work when it fails, since its caller then closes the stores", async () => {
  const batch = Array.from({ length: 40 }, (_, index) => ({
    run: { id: `run_${index}`, attempt: 1, result: {}, archivedAt: null },
  }));
  const runs = {
    read: async function* () {
      yield batch;
    },
  };
  let open = 0;
  let opened = 0;
  const source = {
    async open() {
      opened += 1;
      open += 1;
      await sleep(opened === 2 ? 5 : 20);
      open -= 1;
      if (opened <= 4) throw new UnavailableError("The storage cannot be reached.");
      return undefined;
    },
  } as unknown as ResultStore;
  const stores = { source, target: source, stored: source, records: { runs } as unknown as RecordTables };
  const migrating = migrateResults({ ...stores, work: "/nowhere", isCheck: true, progress: () => {} });
  await expect(migrating).rejects.toThrow("The storage cannot be reached.");
  expect(open).toBe(0);
  const before = opened;
  await sleep(50);
  expect(opened).toBe(before);
  expect(opened).toBeLessThan(10);
});
