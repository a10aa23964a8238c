import { expect, it } from "vitest";
import { openEngine } from "../../src/results/engine.ts";

it("limits the spill space of an engine that reads results, and sets UTC", async () => {
  const connection = await (await openEngine({ spillMegabytes: 1_024 })).connect();
  const settings = "SELECT current_setting('max_temp_directory_size'), current_setting('TimeZone')";
  expect((await connection.runAndReadAll(settings)).getRows()).toEqual([["976.5 MiB", "UTC"]]);
  connection.closeSync();
});
