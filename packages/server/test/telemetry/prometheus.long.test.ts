import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { diskUse } from "../../src/disk/disk-space.ts";
import {
  createGate,
  createTestClock,
  eventually,
  gatedKind,
  idleKind,
  startServer,
  type TestServer,
} from "../fixture.ts";
import { killIfRunning, processesInside } from "../inside-processes.ts";
import { firedAlerts, hostOf, isReadOften, quickRules, rulesFile } from "./alerts.ts";
import { prometheusProgram, startPrometheus } from "./prometheus.ts";

const promtool = prometheusProgram("promtool");
const prometheus = prometheusProgram("prometheus");
const slow = "select count(*) from range(1000000000) a, range(1000000000) b";

const metricsOf = async ({ url }: TestServer) => (await fetch(`${url}/metrics`)).text();

if (promtool === undefined)
  it.skip("promtool does not run here: the machine lacks the package prometheus"); // as its name says
else {
  it("promtool accepts the metrics of a service, each of which has a value", async () => {
    await using server = await startServer({ limits: { maxStoredBytes: 1e9 } });
    const { id } = await server.run("select * from range(5)");
    await server.results({ queryRunId: id });
    await server.run("nonsense");
    const text = await metricsOf(server);
    const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !new RegExp(`^${name}(_sum)?[ {]`, "m").test(text))).toEqual([]);
    const { status, stdout, stderr } = spawnSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  it("promtool accepts the alerts of the guide", () => {
    const { status, stderr } = spawnSync(promtool, ["check", "rules", rulesFile.pathname], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
}

if (prometheus === undefined)
  it.skip("Prometheus does not run here: the machine lacks the package prometheus"); // as its name says
else {
  it("each alert of the guide fires when its cause is there, and not before", async () => {
    await using reader = await startPrometheus(prometheus, quickRules());
    const expected: string[] = [];
    /** Checks that only the alerts of earlier causes have fired, produces a cause, and waits for its alert. */
    const fires = async (alert: string, server: TestServer, cause: () => Promise<unknown>): Promise<void> => {
      const alerts = () => firedAlerts(reader, "firing");
      await isReadOften(reader);
      expect(await alerts()).toEqual(expected);
      await cause();
      expected.push(`${alert} ${hostOf(server)}`);
      expected.sort();
      await eventually(async () => (await alerts()).includes(`${alert} ${hostOf(server)}`));
      expect(await alerts()).toEqual(expected);
    };

    await using engine = await startServer({
      limits: { maxDiskShare: 1, maxRunningRuns: 2, statementTimeoutSeconds: 2, maxStoredBytes: 2_000_000 },
    });
    await reader.read([hostOf(engine)]);
    for (let run = 0; run < 9; run += 1) await engine.run("nonsense"); // faults of the statements are no cause
    await isReadOften(reader);
    expect(await firedAlerts(reader, "pending|firing")).toEqual([]);

    const runs = Array.from({ length: 8 }, (_, index) => `${slow} where ${index} >= 0`);
    await fires("QuernRunsFail", engine, () => Promise.all(runs.map((sql) => engine.run(sql))));

    await fires("QuernWorkersLost", engine, () => loseWorkers(engine, 4));

    // The statements whose processes were lost run again, and would leave too little time for the next ones.
    await eventually(async () => !/^quern_runs\{state="(queued|running)"\} [1-9]/m.test(await metricsOf(engine)));
    const succeeds = async (sql: string) => expect(await engine.run(sql)).toMatchObject({ errorMessage: null });
    await succeeds("select md5(i::varchar) from range(80000) r(i)"); // 1.47 MB
    await fires("QuernTenantNearQuota", engine, () => succeeds("select sha1(i::varchar) from range(20000) r(i)"));

    // The service beside it has a disk that is nearly too full, a clock of the test, and statements that do not end.
    const { usedShare } = await diskUse(engine.dataDir);
    const clock = createTestClock();
    const describing = createGate();
    const kind = gatedKind(idleKind, { before: createGate() });
    await using other = await startServer({
      clock,
      limits: { maxDiskShare: Math.min(usedShare + 0.02, 1), maxRunningRuns: 1 },
      kind: {
        ...kind,
        async describe(_, signal) {
          await describing.pass(signal);
          return { columns: [], parameters: [] };
        },
      },
    });
    await fires("QuernDiskNearLimit", other, () => reader.read([hostOf(engine), hostOf(other)]));

    for (const sql of ["select 1", "select 2"]) await other.create({ sql });
    clock.advance(290_000);
    await fires("QuernQueueTooOld", other, async () => clock.advance(20_000));

    const underWay = other.call("describeQuery", { sql: "select 1" });
    await eventually(() => describing.waiting === 1);
    let stopped: Promise<void> | undefined;
    await fires("QuernNotReady", other, async () => {
      stopped = other.stop();
    });
    describing.open();
    await underWay;
    await stopped;
    await eventually(async () => (await firedAlerts(reader, "firing")).includes(`QuernDown ${hostOf(other)}`));
  }, 240_000);
}

/** Kills the processes of statements until the service has lost some. */
async function loseWorkers(server: TestServer, count: number): Promise<void> {
  const lost = async () => Number(/^quern_lost_workers_total (\d+)$/m.exec(await metricsOf(server))?.[1]);
  while ((await lost()) < count) {
    await server.create({ sql: `${slow} where ${await lost()} >= 0` });
    await eventually(async () => /^quern_runs\{state="running"\} [1-9]/m.test(await metricsOf(server)));
    for (const { pid, directory } of await processesInside(server.dataDir))
      if (directory.includes("/worker-")) killIfRunning(pid);
  }
}
