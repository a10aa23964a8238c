import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { resultStoreContract } from "@quern/adapter/contract";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openStore, query, temporaryDirectory, writeResult } from "./fixture.ts";
import { hasMoto } from "./moto.ts";
import { startStorage, type TestStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

/** moto is a stand-in for machines that cannot build versitygw. */
const program = hasVersitygw() ? "versitygw" : hasMoto() ? "moto" : undefined;

if (program === undefined)
  it.skip("results in object storage do not run here: the machine lacks go, and python3 with venv"); // as its name says
else
  describe(`results in object storage (${program})`, () => {
    let storage: TestStorage;
    let work: string;
    let stores = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage(program);
    });
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    it.each(resultStoreContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
      await storage.start();
      const bucket = `results-${++stores}`;
      const url = await storage.createBucket(bucket);
      const directory = join(work, bucket);
      await mkdir(directory);
      const store = await openStore(url, directory);
      const cached = (): Promise<readonly string[]> => readdir(join(directory, "cache"));
      await run({
        store,
        write: (numbers) => writeResult(directory, `SELECT unnest([${numbers}]) AS c0`, numbers.length),
        read: async ([path]) => (await query(`FROM '${path}'`)).map(([n]) => Number(n)),
        async addOrphan({ id, attempt }) {
          const Key = `results/${id}.${attempt}.parquet`;
          await storage.client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
        },
        async makeUnavailable() {
          await storage.stop();
          for (const name of await cached()) await rm(join(directory, "cache", name));
        },
        async storedRuns() {
          const names = (await storage.keys(bucket)).filter((key) => key.startsWith("results/"));
          const runs = [...names.map((key) => key.slice("results/".length)), ...(await cached())];
          return [...new Set(runs.map((name) => name.split(".")[0] ?? ""))].sort();
        },
      });
      await store.close();
    });
  });
