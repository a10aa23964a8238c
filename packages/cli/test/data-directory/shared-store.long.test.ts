import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createSharedFolder } from "./shared-service.ts";

it("executes the runs of a killed server on another one, however often servers are killed", async () => {
  await using folder = await createSharedFolder();
  const env = { ...folder.env, QUERN_API_KEY: "qk_first", QUERN_LEASE_SECONDS: "3" };
  let server = await folder.serve(["--data-dir", "data 0"], env);
  const on = () => ({ QUERN_URL: server.url, QUERN_API_KEY: "qk_first" });
  const stateOf = async (id: string) =>
    JSON.parse((await folder.run(["get-query-run", "--query-run-id", id], on())).stdout);
  const sql = "select count(*) as n from range(100000) a, range(100000) b where hash(a.range + b.range) = 7";
  const created = await folder.run(["create-query-run", "--sql", sql], on());
  const id = /run_\w+/.exec(created.stdout)?.[0] ?? "";
  let startedAt: unknown = null;
  /** Waits until the run executes again, on the server that lives. */
  const started = async (): Promise<void> => {
    for (;;) {
      const { queryRun } = await stateOf(id);
      expect(["QUERY_STATE_READY", "QUERY_STATE_RUNNING"]).toContain(queryRun.state);
      if (queryRun.startedAt !== null && queryRun.startedAt !== startedAt) {
        startedAt = queryRun.startedAt;
        return;
      }
      await sleep(500);
    }
  };
  await started();
  // More often than a run may lose the process of its statement.
  for (let kill = 1; kill <= 4; kill += 1) {
    const next = await folder.serve(["--data-dir", `data ${kill}`], env);
    await server.kill("SIGKILL");
    server = next;
    await started();
  }
  expect(await folder.run(["cancel-query-run", "--query-run-id", id], on())).toMatchObject({ status: 0 });
}, 240_000);
