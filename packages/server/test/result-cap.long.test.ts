import { expect, it } from "vitest";
import { startServer } from "./fixture.ts";

it("fails a run whose result is larger than the service keeps, by bytes and by rows", async () => {
  await using server = await startServer({ limits: { maxResultBytes: 2_000_000, maxResultRows: 100_000 } });
  const failure = { state: "QUERY_STATE_FAILED", errorName: "ResultTooLarge", errorData: { category: "RESOURCE" } };
  // Hashes do not compress. It would be written for minutes, so that it is stopped while it grows.
  const endless = await server.run("select hash(range) as h, hash(range + 1) as i from range(10000000000)");
  expect(endless).toMatchObject({ ...failure, errorMessage: expect.stringContaining("2000000 bytes") });
  const long = await server.run("select 1 as n from range(100001)");
  expect(long).toMatchObject({ ...failure, errorMessage: expect.stringContaining("100000 rows") });
  expect(await server.run("select 1 as n from range(100000)")).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
});

it("fails a run that needs more memory, or more of the disk to compute with, than it may have", async () => {
  const sorted = "select hash(range) as h from range(5000000) order by h limit 4000000";
  const failure = { errorName: "OutOfMemoryError", errorData: { category: "RESOURCE" } };
  const limits = { memoryMegabytes: 50, spillMegabytes: 2 };
  await using little = await startServer({ limits });
  expect(await little.run("select len(list(hash(range))) from range(30000000)")).toMatchObject(failure);
  const spilled = { ...failure, errorMessage: expect.stringContaining("max_temp_directory_size") };
  expect(await little.run(sorted)).toMatchObject(spilled);
  await using enough = await startServer({ limits: { ...limits, spillMegabytes: 500 } });
  expect(await enough.run(sorted)).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 4_000_000 });
});
