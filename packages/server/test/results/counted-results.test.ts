import { join } from "node:path";
import { ResultExistsError, type ResultStore, UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { countFailures } from "../../src/results/counted-results.ts";
import { createResultStore } from "../../src/results/result-store.ts";
import { RpcError, startServer, temporaryDirectory } from "../fixture.ts";

async function failuresOf(url: string): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split("\n").filter((line) => /^quern_(result_store_failures|lost_workers)_total.* [1-9]/.test(line));
}

it("executes a run again whose result is stored already, and counts failed calls of the result store", async () => {
  const files = await createResultStore(join(await temporaryDirectory(), "results"));
  let commits = 0;
  let isAway = false;
  const results: ResultStore = {
    ...files,
    async commit(run, written) {
      commits += 1;
      if (commits === 1) throw new ResultExistsError("The result is stored already.");
      return files.commit(run, written);
    },
    async open(run, rows) {
      if (isAway) throw new UnavailableError("The bucket of the test cannot be reached.");
      return files.open(run, rows);
    },
  };
  const log = { error: () => {} };
  await using server = await startServer({ results, log, limits: { maxSmallResultBytes: 0 } });
  const { id, state } = await server.run("select 1 as v");
  expect([state, commits]).toEqual(["QUERY_STATE_SUCCESS", 2]);
  expect((await server.results({ queryRunId: id })).rows).toEqual([[1]]);
  isAway = true;
  await expect(server.results({ queryRunId: id })).rejects.toThrow(RpcError);
  expect(await failuresOf(server.url)).toEqual([
    "quern_lost_workers_total 1",
    'quern_result_store_failures_total{call="open"} 1',
    'quern_result_store_failures_total{call="commit"} 1',
  ]);
});

it("keeps the optional calls of a result store, and adds none", async () => {
  const files = await createResultStore(join(await temporaryDirectory(), "results"));
  const plain = countFailures(files, () => {});
  expect("sweepCache" in plain || "downloadUrl" in plain).toBe(false);
  const link = { format: "parquet", contentDisposition: "attachment", expiresInSeconds: 1 };
  const linked = countFailures({ ...files, downloadUrl: async () => "https://example.com" }, () => {});
  expect(await linked.downloadUrl?.(createRun(submission().run, 0), link)).toBe("https://example.com");
});
