import { setImmediate } from "node:timers/promises";
import { UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunFailure } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { contentTypes, formatFor } from "../../src/telemetry/exposition.ts";
import { createMetrics, type MetricsSources } from "../../src/telemetry/metrics.ts";

const sources: MetricsSources = {
  counts: async () => ({ ready: 1, running: 2, streaming: 3, oldestReadyAt: 5_000 }),
  storedBytes: async () => [
    { tenantId: "acme", bytes: 5 },
    { tenantId: "beta", bytes: 6 },
  ],
  maxStoredBytes: async (tenantId) => (tenantId === "beta" ? 10 : undefined),
  now: async () => 65_000,
  disk: async () => ({ usedShare: 0.5, freeBytes: 1_000_000_000 }),
  maxDiskShare: 0.95,
  children: () => [{ kind: "statement", state: "busy", count: 2 }],
  isLeader: () => true,
  systems: { names: ["store", "results"], missing: async () => ["results"] },
};

const run = createRun(submission().run, 0);

it("reports the event loop delay since the last collection, not since the start", async () => {
  const metrics = createMetrics(sources);
  const delay = async () => Number(/quantile="0.99"} (\S+)/.exec(await metrics.text("text"))?.[1]);
  const block = async (): Promise<void> => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  };
  await block(); // the first time that is measured has no beginning
  await block();
  const blocked = await delay();
  expect(blocked).toBeGreaterThan(0.05);
  // Since the start, it would still be that of the block.
  expect(await delay()).not.toBe(blocked);
  metrics.close();
});

it("reports each metric with its type and help text", async () => {
  const metrics = createMetrics(sources);
  const success = { ...run, state: "QUERY_STATE_SUCCESS" } as const;
  metrics.runClaimed({ ...run, attempt: 1, createdAt: 0, startedAt: 50 });
  metrics.runClaimed({ ...run, attempt: 2, createdAt: 0, startedAt: 90_000 });
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 50 });
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 1_200_000 });
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 1_200_001 });
  metrics.runEnded({ ...run, state: "QUERY_STATE_CANCELED", startedAt: null, endedAt: 7 });
  metrics.workerLost("process");
  metrics.workerLost("server");
  metrics.resultStoreFailed("commit");
  metrics.requested("ran");
  metrics.requested("ran");
  metrics.requested("reused");
  for (const bytes of [5, 6]) metrics.pageRead(bytes);
  metrics.pageAnswered(0.02);
  for (const status of [200, 200, 404]) metrics.answered(status);
  const text = (await metrics.text("openMetrics"))
    .replace(/(?<=^process_resident_memory_bytes )\d+$/m, "BYTES")
    .replaceAll(/(?<=^quern_event_loop_delay_seconds\S+ )[\d.e-]+$/gm, "DELAY")
    .replaceAll(/^quern_run_failures_total\{.*\n/gm, "");
  metrics.close();
  expect(text).toBe(`# TYPE quern_ready gauge
# HELP quern_ready 1 until the service begins to shut down, then 0.
quern_ready 1
# TYPE quern_leader gauge
# HELP quern_leader 1 for the server that reports the figures of the store and removes expired results, otherwise 0.
quern_leader 1
# TYPE quern_system_available gauge
# HELP quern_system_available 1 if this server reaches its store or its results, otherwise 0.
quern_system_available{system="store"} 1
quern_system_available{system="results"} 0
# TYPE quern_child_processes gauge
# HELP quern_child_processes Child processes of the server, by the kind of their work and state.
quern_child_processes{kind="statement",state="busy"} 2
# TYPE quern_runs gauge
# HELP quern_runs Runs that have not ended.
quern_runs{state="ready"} 1
quern_runs{state="running"} 2
quern_runs{state="streaming"} 3
# TYPE quern_queue_length gauge
# HELP quern_queue_length Runs that wait in the queue.
quern_queue_length 1
# TYPE quern_oldest_waiting_run_seconds gauge
# HELP quern_oldest_waiting_run_seconds Time since the creation of the oldest run that waits in the queue, in seconds; 0 if none waits.
quern_oldest_waiting_run_seconds 60
# TYPE quern_stored_bytes gauge
# HELP quern_stored_bytes Size of the stored results of a tenant, in bytes.
quern_stored_bytes{tenant="acme"} 5
quern_stored_bytes{tenant="beta"} 6
# TYPE quern_stored_limit_bytes gauge
# HELP quern_stored_limit_bytes Quota of the stored results of a tenant, in bytes. A tenant without a quota is missing.
quern_stored_limit_bytes{tenant="beta"} 10
# TYPE quern_disk_used_ratio gauge
# HELP quern_disk_used_ratio Used share of the disk of the data directory, from 0 to 1.
quern_disk_used_ratio 0.5
# TYPE quern_disk_limit_ratio gauge
# HELP quern_disk_limit_ratio Used share of the disk above which no run starts, from 0 to 1.
quern_disk_limit_ratio 0.95
# TYPE quern_disk_free_bytes gauge
# HELP quern_disk_free_bytes Free space on the disk of the data directory, in bytes.
quern_disk_free_bytes 1000000000
# TYPE process_resident_memory_bytes gauge
# HELP process_resident_memory_bytes Resident memory of the server process, in bytes.
process_resident_memory_bytes BYTES
# TYPE quern_event_loop_delay_seconds summary
# HELP quern_event_loop_delay_seconds Delay of the event loop since the last collection of the metrics, in seconds.
quern_event_loop_delay_seconds{quantile="0.5"} DELAY
quern_event_loop_delay_seconds{quantile="0.99"} DELAY
# TYPE quern_runs_ended counter
# HELP quern_runs_ended Runs that have ended.
quern_runs_ended_total{state="success"} 3
quern_runs_ended_total{state="failed"} 0
quern_runs_ended_total{state="canceled"} 1
# TYPE quern_run_failures counter
# HELP quern_run_failures Runs that have failed, by the name and the category of their error.
# TYPE quern_lost_workers counter
# HELP quern_lost_workers Attempts to execute a run that were lost, because the process of the statement, the server or the connection to the engine ended.
quern_lost_workers_total 2
# TYPE quern_reclaimed_runs counter
# HELP quern_reclaimed_runs Runs that this server took from a server that had ended or could not renew their leases.
quern_reclaimed_runs_total 1
# TYPE quern_result_store_failures counter
# HELP quern_result_store_failures Calls of the result store that have failed.
quern_result_store_failures_total{call="open"} 0
quern_result_store_failures_total{call="commit"} 1
quern_result_store_failures_total{call="remove"} 0
# TYPE quern_requests counter
# HELP quern_requests Accepted calls of createQueryRun.
quern_requests_total{outcome="ran"} 2
quern_requests_total{outcome="reused"} 1
# TYPE quern_http_responses counter
# HELP quern_http_responses HTTP responses.
quern_http_responses_total{code="200"} 2
quern_http_responses_total{code="404"} 1
# TYPE quern_page_reads counter
# HELP quern_page_reads Pages and downloads of results that were read.
quern_page_reads_total 2
# TYPE quern_page_read_bytes counter
# HELP quern_page_read_bytes Bytes of the pages and downloads that were read.
quern_page_read_bytes_total 11
# TYPE quern_run_seconds histogram
# HELP quern_run_seconds Time from the start of a run to its end, in seconds.
quern_run_seconds_bucket{le="0.01"} 0
quern_run_seconds_bucket{le="0.05"} 1
quern_run_seconds_bucket{le="0.1"} 1
quern_run_seconds_bucket{le="0.5"} 1
quern_run_seconds_bucket{le="1.0"} 1
quern_run_seconds_bucket{le="5.0"} 1
quern_run_seconds_bucket{le="10.0"} 1
quern_run_seconds_bucket{le="60.0"} 1
quern_run_seconds_bucket{le="300.0"} 1
quern_run_seconds_bucket{le="1200.0"} 2
quern_run_seconds_bucket{le="+Inf"} 3
quern_run_seconds_sum 2400.051
quern_run_seconds_count 3
# TYPE quern_queue_wait_seconds histogram
# HELP quern_queue_wait_seconds Time from the creation of a run to its first start, in seconds.
quern_queue_wait_seconds_bucket{le="0.01"} 0
quern_queue_wait_seconds_bucket{le="0.05"} 1
quern_queue_wait_seconds_bucket{le="0.1"} 1
quern_queue_wait_seconds_bucket{le="0.5"} 1
quern_queue_wait_seconds_bucket{le="1.0"} 1
quern_queue_wait_seconds_bucket{le="5.0"} 1
quern_queue_wait_seconds_bucket{le="10.0"} 1
quern_queue_wait_seconds_bucket{le="60.0"} 1
quern_queue_wait_seconds_bucket{le="300.0"} 1
quern_queue_wait_seconds_bucket{le="1200.0"} 1
quern_queue_wait_seconds_bucket{le="+Inf"} 1
quern_queue_wait_seconds_sum 0.05
quern_queue_wait_seconds_count 1
# TYPE quern_page_seconds histogram
# HELP quern_page_seconds Time to read a page, for getQueryRunResults or as the first page of createQueryRun, in seconds.
quern_page_seconds_bucket{le="0.005"} 0
quern_page_seconds_bucket{le="0.01"} 0
quern_page_seconds_bucket{le="0.05"} 1
quern_page_seconds_bucket{le="0.1"} 1
quern_page_seconds_bucket{le="0.5"} 1
quern_page_seconds_bucket{le="1.0"} 1
quern_page_seconds_bucket{le="5.0"} 1
quern_page_seconds_bucket{le="10.0"} 1
quern_page_seconds_bucket{le="60.0"} 1
quern_page_seconds_bucket{le="+Inf"} 1
quern_page_seconds_sum 0.02
quern_page_seconds_count 1
# EOF
`);
});

it("counts failures by name and category, and unknown names as one", async () => {
  const metrics = createMetrics(sources);
  const failed = (name: string, category: RunFailure["data"]["category"]) =>
    metrics.runEnded({ ...run, state: "QUERY_STATE_FAILED", failure: { name, message: "", data: { category } } });
  failed("BinderError", "USER");
  for (const name of ["a", "b", '"}\n']) failed(name, "DATA_SOURCE");
  failed("BinderError", "of an adapter" as "USER");
  for (const name of ["StorageFull", "StorageQuotaExceeded"]) failed(name, "RESOURCE");
  const text = await metrics.text("text");
  metrics.close();
  const samples = text.split("\n").filter((line) => line.startsWith("quern_run_failures_total{"));
  expect(samples.filter((line) => !line.endsWith(" 0"))).toEqual([
    'quern_run_failures_total{error_name="BinderError",category="USER"} 1',
    'quern_run_failures_total{error_name="StorageFull",category="RESOURCE"} 1',
    'quern_run_failures_total{error_name="StorageQuotaExceeded",category="RESOURCE"} 1',
    'quern_run_failures_total{error_name="other",category="DATA_SOURCE"} 3',
    'quern_run_failures_total{error_name="BinderError",category="INTERNAL"} 1',
  ]);
  // Reported from the start, so that the first failure is an increase.
  expect(samples).toContain('quern_run_failures_total{error_name="WorkerLost",category="INTERNAL"} 0');
});

it("reports no age of an empty queue, and that it drains", async () => {
  const counts = async () => ({ ready: 0, running: 0, streaming: 0, oldestReadyAt: null });
  const metrics = createMetrics({ ...sources, counts });
  metrics.draining();
  const text = await metrics.text("text");
  metrics.close();
  expect(text).toContain("\nquern_oldest_waiting_run_seconds 0\n");
  expect(text).toContain("\nquern_ready 0\n");
});

it.each([
  [64_999, 0.001],
  [65_000, 0],
  [65_001, 0],
])("a run of the time %i waits for %d seconds at 65,000, also if another server's clock is ahead", async (at, age) => {
  const counts = async () => ({ ready: 1, running: 0, streaming: 0, oldestReadyAt: at });
  const metrics = createMetrics({ ...sources, counts });
  const text = await metrics.text("text");
  metrics.close();
  expect(text).toContain(`\nquern_oldest_waiting_run_seconds ${age}\n`);
});

it("writes OpenMetrics for a client that accepts it, and the text format of Prometheus otherwise", async () => {
  expect(formatFor("application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5")).toBe("openMetrics");
  for (const accept of [undefined, "*/*", "text/plain", "application/openmetrics-text-2"])
    expect([accept, formatFor(accept)]).toEqual([accept, "text"]);
  expect(contentTypes.text).toContain("version=0.0.4");
  const metrics = createMetrics(sources);
  const text = await metrics.text("text");
  metrics.close();
  expect(text).toContain("# TYPE quern_requests_total counter\n");
  expect(text).not.toContain("# EOF");
});

it("leaves out the figures of the store on a server that is not the leader, or cannot reach the store", async () => {
  const ofStore = /^quern_(runs|queue_length|oldest_waiting_run_seconds|stored_bytes|stored_limit_bytes)\b/m;
  const unavailable = () => Promise.reject(new UnavailableError("The database cannot be reached."));
  const systems = { names: ["store"], missing: async () => ["store"] };
  const counts = () => new Promise<never>(() => {}); // a store that does not answer, which must not delay the metrics
  for (const change of [{ isLeader: () => false }, { counts: unavailable }, { counts, systems }]) {
    const metrics = createMetrics({ ...sources, ...change });
    const text = await metrics.text("text");
    expect(text).not.toMatch(ofStore);
    expect(text).toContain(`quern_leader ${"counts" in change ? 1 : 0}`);
    expect(text).toContain("quern_disk_used_ratio 0.5");
    metrics.close();
  }
  const failing = createMetrics({ ...sources, counts: () => Promise.reject(new Error("a defect")) });
  await expect(failing.text("text")).rejects.toThrow("a defect");
  failing.close();
});
