import { rm } from "node:fs/promises";
import { afterEach, it } from "vitest";
import { createResultStore } from "../../../server/src/results/result-store.ts";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { sharedCaseMs, sharedCases } from "../../../server/test/shared/cases.ts";
import { describeOnPostgres, openStore } from "../store/fixture.ts";

await describeOnPostgres("servers on one PostgreSQL database", (server) => {
  let directory: string;
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it.each(sharedCases.map(({ name, run }) => [name, run] as const))(
    "%s",
    async (_, run) => {
      const url = await server.createDatabase();
      directory = await temporaryDirectory();
      // The servers of a test use one folder of results in one process.
      const results = await createResultStore(directory);
      await run({ openStore: () => openStore(url), openResults: async () => results });
    },
    3 * sharedCaseMs,
  );
});
