import { get } from "node:http";
import { expect, it } from "vitest";
import { createGate, eventually, gatedKind, idleKind, startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

const samples = (text: string) => new Map(text.split("\n").map((line) => [line.slice(0, line.lastIndexOf(" ")), line]));

it("serves its metrics as OpenMetrics", async () => {
  await using server = await startServer({ limits: { maxSmallResultBytes: 0 } }); // a page of a small one takes no process
  const { id } = await server.run("select * from range(5)");
  await server.run("select * from range(5)", { maxAgeMinutes: 5 });
  await server.results({ queryRunId: id });
  await server.run("nonsense");
  await (await caller(server, { scopes: ["run"] })).call("listQueryRuns");

  const headers = { accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" }; // as Prometheus sends it
  const response = await fetch(`${server.url}/metrics`, { headers });
  expect(response.headers.get("content-type")).toContain("application/openmetrics-text");
  const text = await response.text();
  expect((await fetch(`${server.url}/metrics`)).headers.get("content-type")).toContain("text/plain; version=0.0.4");
  expect(text.endsWith("\n# EOF\n")).toBe(true);
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^# (TYPE|HELP) \w+ \S|^# EOF$|^\w+(\{\w+="[^"]+"(,\w+="[^"]+")*\})? -?[\d.e+-]+$/);
  const lines = [...samples(text).values()];
  expect(lines).toEqual(
    expect.arrayContaining([
      'quern_runs{state="ready"} 0',
      "quern_queue_length 0",
      'quern_runs_ended_total{state="success"} 1',
      'quern_runs_ended_total{state="failed"} 1',
      'quern_requests_total{outcome="ran"} 2',
      'quern_requests_total{outcome="reused"} 1',
      "quern_run_seconds_count 2",
      'quern_run_seconds_bucket{le="+Inf"} 2',
      "quern_page_reads_total 1",
      'quern_http_responses_total{code="403"} 1',
      "quern_ready 1",
      "quern_queue_wait_seconds_count 2",
      "quern_page_seconds_count 1",
      "quern_disk_limit_ratio 0.95",
      "quern_oldest_waiting_run_seconds 0",
      'quern_run_failures_total{error_name="ParserError",category="USER"} 1',
    ]),
  );
  const value = (name: string) => Number(samples(text).get(name)?.split(" ").at(-1));
  expect(value('quern_child_processes{kind="page",state="idle"}')).toBeGreaterThan(0);
  expect(value("quern_disk_free_bytes")).toBeGreaterThan(0);
  expect(value("quern_disk_used_ratio")).toBeGreaterThan(0);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7);
  expect(value('quern_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThan(0);
  expect(value("quern_page_read_bytes_total")).toBeGreaterThan(100);
});

it("serves its metrics to the machine only, unless configured otherwise", async () => {
  const statusOf = async (url: string, headers = {}) => (await fetch(`${url}/metrics`, { headers })).status;
  await using server = await startServer({ kind: idleKind });
  expect(await statusOf(server.url)).toBe(200);
  expect(await statusOf(server.url, { "x-forwarded-for": "192.0.2.1" })).toBe(404);
  await using open = await startServer({ kind: idleKind, metrics: "all" });
  expect(await statusOf(open.url, { "x-forwarded-for": "192.0.2.1" })).toBe(200);
  await using closed = await startServer({ kind: idleKind, metrics: "none" });
  expect(await statusOf(closed.url)).toBe(404);
});

it("serves its metrics to requests with a loopback name or an allowed host, and not to others", async () => {
  const statusOf = (url: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = get(`${url}/metrics`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
    });
  const statuses = (url: string, hosts: readonly string[]) => Promise.all(hosts.map((host) => statusOf(url, host)));
  await using server = await startServer({ kind: idleKind, allowedHosts: ["Quern"] });
  const loopback = ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "quern:8080", "QUERN"];
  expect(await statuses(server.url, loopback)).toEqual(loopback.map(() => 200));
  const others = ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1"];
  expect(await statuses(server.url, others)).toEqual(others.map(() => 403));
  await using open = await startServer({ kind: idleKind, metrics: "all" });
  expect(await statuses(open.url, others)).toEqual(others.map(() => 200));
});

it("is healthy while it runs, ready until it drains, and keeps unfinished runs for the next server", async () => {
  const before = createGate();
  const describing = createGate();
  const kind = gatedKind(idleKind, { before });
  await using server = await startServer({
    kind: {
      ...kind,
      describe: async (_, signal) => {
        await describing.pass(signal);
        return { columns: [], parameters: [] };
      },
    },
  });
  const answers = async () => {
    const paths = ["/healthz", "/readyz"];
    const responses = await Promise.all(paths.map((path) => fetch(`${server.url}${path}`)));
    return responses.map(({ status, headers }) => [status, headers.get("retry-after")]);
  };
  expect(await answers()).toEqual([
    [200, null],
    [200, null],
  ]);
  const { queryRun } = await server.create({ sql: "select 1" });
  await eventually(() => before.waiting === 1);
  const underWay = server.call("describeQuery", { sql: "select 1" });
  await eventually(() => describing.waiting === 1);
  const stopped = server.stop();
  expect(await answers()).toEqual([
    [200, null],
    [503, "1"],
  ]);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain("\nquern_ready 0\n");
  describing.open();
  await underWay;
  await stopped;

  const held = createGate();
  await using next = await startServer({
    dataDir: server.dataDir,
    kind: gatedKind(idleKind, { before: held }),
  });
  await eventually(() => held.waiting === 1);
  expect((await next.get(queryRun.id)).endedAt).toBeNull();
});

it("answers pages of other origins only where the operator allows them", async () => {
  await using server = await startServer({ kind: idleKind, corsOrigins: ["https://app.example.com"] });
  const allowed = async (origin: string) => {
    const response = await fetch(`${server.url}/json-rpc`, { method: "OPTIONS", headers: { origin } });
    return [response.headers.get("access-control-allow-origin"), response.headers.get("vary")];
  };
  expect(await allowed("https://app.example.com")).toEqual(["https://app.example.com", "origin"]);
  expect(await allowed("https://evil.example")).toEqual([null, "origin"]);
});

it("answers HEAD as GET without the body, and leaves other methods to the service", async () => {
  await using server = await startServer({ kind: idleKind });
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    const response = await fetch(`${server.url}${path}`, { method: "HEAD" });
    expect([path, response.status, await response.text()]).toEqual([path, 200, ""]);
    expect([path, (await fetch(`${server.url}${path}`, { method: "POST" })).status]).toEqual([path, 404]);
  }
});

it("does not let web pages read health and metrics", async () => {
  await using server = await startServer({ kind: idleKind });
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    const { status, headers } = await fetch(`${server.url}${path}`, { headers: { origin: "https://app.example.com" } });
    expect([path, status, headers.get("access-control-allow-origin")]).toEqual([path, 200, null]);
  }
});

it("refuses bodies, batches and depths beyond the operator's limits", async () => {
  await using server = await startServer({
    kind: idleKind,
    limits: { maxBodyBytes: 500, maxBatch: 2, maxDepth: 5 },
  });
  const { call } = await caller(server);
  expect((await call("listQueryRuns", { tags: { a: "x".repeat(600) } })).status).toBe(413);
  expect((await call("createQueryRun", { sql: "select 1", parameters: [[[[[[]]]]]] })).error).toMatchObject({
    code: -32600,
  });
  const batch = Array.from({ length: 3 }, () => ({ method: "listQueryRuns", params: {} }));
  expect(await server.batch(batch.slice(1))).toHaveLength(2);
  await expect(server.batch(batch)).rejects.toThrow();
});
