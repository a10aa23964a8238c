import { expect, it } from "vitest";
import { isOfLocation, readMarker, refuseUnfinishedMigration, writeMarker } from "../../src/migration/marker.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";

it("refuses a store while a migration to it has not ended", async () => {
  const { settings } = openSqliteStore(":memory:");
  expect([await readMarker(settings), await refuseUnfinishedMigration(settings)]).toEqual([undefined, undefined]);
  await writeMarker(settings, { from: "a directory", state: "copying" });
  await expect(refuseUnfinishedMigration(settings)).rejects.toThrow("from a directory");
  await writeMarker(settings, { from: "a directory", state: "done" });
  expect(await refuseUnfinishedMigration(settings)).toBeUndefined();
  expect(await readMarker(settings)).toEqual({ from: "a directory", state: "done" });
});

it("belongs to the place of a store, unlike the secret of links", () => {
  expect([isOfLocation("migration"), isOfLocation("linkSecret")]).toEqual([true, false]);
});
