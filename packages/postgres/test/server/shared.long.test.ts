import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, it } from "vitest";
import { createResultStore } from "../../../server/src/results/result-store.ts";
import { createUploadFiles } from "../../../server/src/uploads/upload-files.ts";
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
      // The servers of a test use one folder of results and one of uploads in one process.
      const uploads = await createUploadFiles(join(directory, "uploads"));
      const results = { ...(await createResultStore(join(directory, "results"))), uploads };
      await run({ openStore: () => openStore(url), openResults: async () => results });
    },
    3 * sharedCaseMs,
  );
});
