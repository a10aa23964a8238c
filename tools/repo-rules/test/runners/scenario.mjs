import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, createQueryRun, getQueryRun, getQueryRunResults } from "@quern/client";
import { remoteNamespace } from "@quern/mock-server/remote";

/*
 * The scenario, which each runner performs on the same mock at the same time:
 *
 * 1. The runner creates a namespace, whose clock stands at 2030-01-01.
 * 2. It stubs `select * from jobs`: two runs fail, and further ones have a row whose columns are `id`, which is the name of the runner,
 *    `state` and `format`. All runners stub this statement, each with its own row. And it stubs `select slow`, which takes 30 seconds.
 * 3. It waits until all runners have come so far, so that all their namespaces exist at once.
 * 4. Three runs of the first statement fail, fail and succeed. The columns and the row are the runner's own.
 * 5. A run of the slow statement is running until the runner moves its clock by 30 seconds.
 * 6. The history has the calls of the runner, in order, and no others.
 * 7. `select elsewhere`, which only another namespace stubs, fails; nothing else is unexpected. The runner resets its namespace.
 */

const { SCENARIO_FOLDER: folder = "", QUERN_MOCK_URL: url = "" } = process.env;

/** Step 3: reports that this runner is ready, and waits for the others. */
async function meet(runner) {
  writeFileSync(join(folder, runner), "");
  const watcher = watch(folder);
  while (!existsSync(join(folder, "all"))) await once(watcher, "change");
  watcher.close();
}

/** Performs the scenario. @param callerOf Returns a function that calls the methods of a namespace. */
export async function perform(runner, callerOf = clientOf) {
  const mock = await remoteNamespace(url, { clock: { startAt: "2030-01-01T00:00:00Z", ticking: false } });
  const call = await callerOf(mock);
  const row = { id: runner, state: "open", format: 1 };
  const failure = { fails: { errorMessage: "out of memory" }, times: 2 };
  await mock.when("select * from jobs", { sequence: [failure, { rows: [row] }] });
  await mock.when("select slow", { rows: [], after: "30s" });
  await meet(runner);

  const create = async (sql) => (await call("createQueryRun", { sql })).queryRun.id;
  const state = async (queryRunId) => (await call("getQueryRun", { queryRunId })).queryRun.state;
  assert.equal(await state(await create("select * from jobs")), "QUERY_STATE_FAILED");
  assert.equal(await state(await create("select * from jobs")), "QUERY_STATE_FAILED");
  const third = await create("select * from jobs");
  assert.equal(await state(third), "QUERY_STATE_SUCCESS");
  const { columnNames, rows } = await call("getQueryRunResults", { queryRunId: third });
  assert.deepEqual([columnNames, rows], [["id", "state", "format"], [[runner, "open", 1]]]);

  const slow = await create("select slow");
  assert.equal(await state(slow), "QUERY_STATE_RUNNING");
  assert.equal(await mock.advance("30s"), "2030-01-01T00:00:30.000Z");
  assert.equal(await state(slow), "QUERY_STATE_SUCCESS");

  const made = (await mock.calls()).map(({ method, params }) => `${method} ${params.sql ?? ""}`.trim());
  const poll = ["createQueryRun select * from jobs", "getQueryRun"];
  assert.deepEqual(made, [
    ...poll,
    ...poll,
    ...poll,
    "getQueryRunResults",
    "createQueryRun select slow",
    "getQueryRun",
    "getQueryRun",
  ]);

  assert.equal(await state(await create("select elsewhere")), "QUERY_STATE_FAILED");
  const { unexpected } = await mock.history();
  assert.equal(unexpected.length, 1);
  assert.match(unexpected[0], /^no stub matches "select elsewhere"/);
  await mock.reset();
  await mock.finish();
}

const methods = { createQueryRun, getQueryRun, getQueryRunResults };

/** Returns the function that calls methods by a client. */
export function clientOf(connection) {
  const client = createClient(connection);
  return (method, params) => methods[method](client, params);
}
