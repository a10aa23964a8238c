import { setImmediate } from "node:timers/promises";
import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { createMetrics } from "../../src/telemetry/metrics.ts";

it("reports the event loop delay since the last collection, not since the start", async () => {
  const metrics = createMetrics(async () => ({ ready: 0, running: 0, streaming: 0 }));
  const delay = async () => Number(/quantile="0.99"} (\S+)/.exec(await metrics.text())?.[1]);
  const block = async (): Promise<void> => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  };
  await block(); // the first time that is measured has no beginning
  await block();
  const blocked = await delay();
  expect(blocked).toBeGreaterThan(0.05);
  expect(await delay()).toBeLessThan(blocked);
  metrics.close();
});

it("reports each metric with its type and help text", async () => {
  const metrics = createMetrics(async () => ({ ready: 1, running: 2, streaming: 3 }));
  const run = createRun(submission().run, 0);
  const success = { ...run, state: "QUERY_STATE_SUCCESS" } as const;
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 50 });
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 1_200_000 });
  metrics.runEnded({ ...success, startedAt: 0, endedAt: 1_200_001 });
  metrics.runEnded({ ...run, state: "QUERY_STATE_CANCELED", startedAt: null, endedAt: 7 });
  metrics.requested("ran");
  metrics.requested("ran");
  metrics.requested("reused");
  for (const bytes of [5, 6]) metrics.pageRead(bytes);
  for (const status of [200, 200, 404]) metrics.answered(status);
  const text = (await metrics.text())
    .replace(/(?<=^process_resident_memory_bytes )\d+$/m, "BYTES")
    .replaceAll(/(?<=^quern_event_loop_delay_seconds\S+ )[\d.e-]+$/gm, "DELAY");
  metrics.close();
  expect(text).toBe(`# TYPE quern_runs gauge
# HELP quern_runs Runs that have not ended.
quern_runs{state="ready"} 1
quern_runs{state="running"} 2
quern_runs{state="streaming"} 3
# TYPE quern_queue_length gauge
# HELP quern_queue_length Runs that wait in the queue.
quern_queue_length 1
# TYPE quern_runs_ended counter
# HELP quern_runs_ended Runs that have ended.
quern_runs_ended_total{state="success"} 3
quern_runs_ended_total{state="canceled"} 1
# TYPE quern_requests counter
# HELP quern_requests Accepted calls of createQueryRun.
quern_requests_total{outcome="ran"} 2
quern_requests_total{outcome="reused"} 1
# TYPE quern_run_seconds histogram
# HELP quern_run_seconds Seconds from the start of a run to its end.
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
# TYPE quern_page_reads counter
# HELP quern_page_reads Pages and downloads of results that were read.
quern_page_reads_total 2
# TYPE quern_page_read_bytes counter
# HELP quern_page_read_bytes Bytes of the pages and downloads that were read.
quern_page_read_bytes_total 11
# TYPE quern_http_responses counter
# HELP quern_http_responses HTTP responses.
quern_http_responses_total{code="200"} 2
quern_http_responses_total{code="404"} 1
# TYPE process_resident_memory_bytes gauge
# HELP process_resident_memory_bytes Resident memory of the server process, in bytes.
process_resident_memory_bytes BYTES
# TYPE quern_event_loop_delay_seconds gauge
# HELP quern_event_loop_delay_seconds Delay of the event loop since the last collection of the metrics, in seconds.
quern_event_loop_delay_seconds{quantile="0.5"} DELAY
quern_event_loop_delay_seconds{quantile="0.99"} DELAY
# EOF
`);
});
