import { expect, it } from "vitest";
import { eventually } from "../fixture.ts";
import { createLocalStorage } from "../shared/local-storage.ts";
import { startShared, startWithOutages } from "../shared/servers.ts";
import { firedAlerts, hostOf, isReadOften, quickRules } from "./alerts.ts";
import { queryOf, targets } from "./dashboard.ts";
import { type Prometheus, prometheusProgram, startPrometheus } from "./prometheus.ts";

const prometheus = prometheusProgram("prometheus");

/** Waits for an alert after its cause. Fails if others than the earlier ones have fired before it or with it. */
function createWatch(reader: Prometheus) {
  const expected: string[] = [];
  const fired = () => firedAlerts(reader, "firing");
  return async (alert: string, cause: () => Promise<unknown> | unknown): Promise<void> => {
    await isReadOften(reader);
    expect(await fired()).toEqual(expected);
    await cause();
    expected.push(alert);
    expected.sort();
    await eventually(async () => (await fired()).includes(alert), 120_000);
    expect(await fired()).toEqual(expected);
  };
}

if (prometheus === undefined)
  it.skip("Prometheus does not run here: the machine lacks the package prometheus"); // as its name says
else {
  it("each alert of several servers fires when its cause is there, and not before", async () => {
    await using storage = await createLocalStorage();
    await using reader = await startPrometheus(prometheus, quickRules());
    const options = { leaseSeconds: 3, limits: { maxRunningRuns: 8 } };
    const { server: first, store, results } = await startWithOutages(storage, options);
    await using _ = first;
    await reader.read([hostOf(first)]);
    const fires = createWatch(reader);
    // The bucket has no object for a small result.
    const { id } = await first.run("select range as v from range(100000)");

    await fires(`QuernSystemUnavailable ${hostOf(first)}`, async () => {
      store.isAway = true;
      await isReadOften(reader);
      store.isAway = false;
    });

    await fires(`QuernResultStoreFails ${hostOf(first)}`, async () => {
      results.isAway = true;
      for (let read = 0; read < 10; read += 1) await first.results({ queryRunId: id }).catch(() => {});
      results.isAway = false;
    });

    // The first server cannot renew the leases of its runs, and another server takes them.
    for (let run = 0; run < 7; run += 1) await first.create({ sql: `select 'held' as v, ${run}` });
    await eventually(() => first.gate.waiting === 7);
    await using second = await startShared(storage, options);
    second.gate.open();
    await reader.read([hostOf(first), hostOf(second)]);
    await fires("QuernRunsReclaimed all", () => {
      store.isAway = true;
    });

    // A server that Prometheus does not read replaces the leader, which cannot renew its lease.
    await fires("QuernNoLeader all", () =>
      eventually(() => storage.store.leases.take("leader", 1, { owner: "unread", ms: 600_000 })),
    );
    store.isAway = false;

    await second.stop();
    const down = [`QuernDown ${hostOf(second)}`, "QuernServersDown all"];
    await eventually(async () => {
      const fired = await firedAlerts(reader, "firing");
      return down.every((alert) => fired.includes(alert));
    });
  }, 800_000);

  it("each query of the dashboard has series with the labels of its legend", async () => {
    await using reader = await startPrometheus(prometheus, quickRules());
    await using storage = await createLocalStorage();
    const options = { limits: { maxStoredBytes: 1e9 } };
    await using first = await startShared(storage, options);
    await using second = await startShared(storage, options);
    await reader.read([hostOf(first), hostOf(second)]);
    await isReadOften(reader);
    for (const server of [first, second]) {
      const { id } = await server.run("select 42 as v");
      await server.results({ queryRunId: id });
      await server.run("nonsense");
    }
    await isReadOften(reader);
    const faults: string[] = [];
    for (const target of targets) {
      const series = await reader.query(queryOf(target, "1m"));
      const labels = [...target.legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label = ""]) => label);
      if (series.length === 0) faults.push(`${target.at}: no series`);
      for (const { metric } of series)
        for (const label of labels) if (metric[label] === undefined) faults.push(`${target.at}: no label ${label}`);
    }
    expect(faults).toEqual([]);
    // The leader alone reports the queue, and both report their requests.
    expect(await reader.query("quern_queue_length")).toHaveLength(1);
    expect(await reader.query("sum by (instance) (quern_requests_total)")).toHaveLength(2);
  }, 120_000);
}
