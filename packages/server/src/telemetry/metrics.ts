import { monitorEventLoopDelay } from "node:perf_hooks";
import { isUnavailableError, type RunCounts, type StoredBytes } from "@quern/adapter";
import type { ChildCount } from "@quern/duckdb";
import type { Instant, RunRecord } from "@quern/query-run/record";
import type { DiskUse } from "../disk/disk-space.ts";
import { type ResultStoreCall, resultStoreCalls } from "../results/counted-results.ts";
import { type ExpositionFormat, exposition, type MetricFamily, type Sample } from "./exposition.ts";
import { failureLabels, initialFailures } from "./failure-labels.ts";
import { createCounter, createHistogram } from "./instruments.ts";
import type { Systems } from "./readiness.ts";

/** Parts of the service that are measured when the metrics are read. None of them may scan runs that have ended. */
export interface MetricsSources {
  counts(): Promise<RunCounts>;
  /** Lists the bytes of the stored results of each tenant. */
  storedBytes(): Promise<readonly StoredBytes[]>;
  /** Returns the quota of the stored results of a tenant, in bytes; undefined if it has none. */
  maxStoredBytes(tenantId: string): Promise<number | undefined>;
  /** Returns the time by the clock of the store. */
  now(): Promise<Instant>;
  /** Measures the disk of the data directory. */
  disk(): Promise<DiskUse>;
  /** Used share of the disk above which no run starts. */
  readonly maxDiskShare: number;
  children(): readonly ChildCount[];
  /** Returns metrics of data sources. @default none */
  sourceFamilies?(): readonly MetricFamily[];
  /** Tells if this server reports the figures of the store: reported by each server, their sum would be too large. */
  isLeader(): boolean;
  readonly systems: Systems;
}

/** Counters and histograms since the start of the server, and gauges. */
export interface Metrics {
  /** Records that a run was claimed from the queue. */
  runClaimed(run: RunRecord): void;
  runEnded(run: RunRecord): void;
  /** Records that an attempt to execute a run was lost with its server, or with its process or engine (`process`). */
  workerLost(lost: "process" | "server"): void;
  /** Records that a call of the result store failed. */
  resultStoreFailed(call: ResultStoreCall): void;
  requested(outcome: "ran" | "reused"): void;
  /** Records the bytes of a page or download that was read. */
  pageRead(bytes: number): void;
  /** Records the time from a call for a page to its answer. */
  pageAnswered(seconds: number): void;
  answered(httpStatus: number): void;
  /** Records that the service has begun to shut down. */
  draining(): void;
  text(format: ExpositionFormat): Promise<string>;
  close(): void;
}

/** Upper bounds of the buckets of histograms, in seconds. */
const runBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_200];
const pageBounds = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

export function createMetrics(sources: MetricsSources): Metrics {
  const { counts, now, disk, maxDiskShare, children, systems } = sources;
  const ended = createCounter<"state">({ name: "quern_runs_ended", help: "Runs that have ended." }, [
    { state: "success" },
    { state: "failed" },
    { state: "canceled" },
  ]);
  const failures = createCounter<"error_name" | "category">(
    { name: "quern_run_failures", help: "Runs that have failed, by the name and the category of their error." },
    initialFailures,
  );
  const lostWorkers = createCounter<never>(
    {
      name: "quern_lost_workers",
      help: "Attempts to execute a run that were lost, because the process of the statement, the server or the connection to the engine ended.",
    },
    [{}],
  );
  const reclaimed = createCounter<never>(
    {
      name: "quern_reclaimed_runs",
      help: "Runs that this server took from a server that had ended or could not renew their leases.",
    },
    [{}],
  );
  const resultFailures = createCounter<"call">(
    { name: "quern_result_store_failures", help: "Calls of the result store that have failed." },
    resultStoreCalls.map((call) => ({ call })),
  );
  const requests = createCounter<"outcome">({ name: "quern_requests", help: "Accepted calls of createQueryRun." }, [
    { outcome: "ran" },
    { outcome: "reused" },
  ]);
  const responses = createCounter<"code">({ name: "quern_http_responses", help: "HTTP responses." }, [{ code: "200" }]);
  const reads = createCounter<never>(
    { name: "quern_page_reads", help: "Pages and downloads of results that were read." },
    [{}],
  );
  const readBytes = createCounter<never>(
    { name: "quern_page_read_bytes", help: "Bytes of the pages and downloads that were read." },
    [{}],
  );
  const runSeconds = createHistogram(
    { name: "quern_run_seconds", help: "Time from the start of a run to its end, in seconds." },
    runBounds,
  );
  const queueSeconds = createHistogram(
    { name: "quern_queue_wait_seconds", help: "Time from the creation of a run to its first start, in seconds." },
    runBounds,
  );
  const pageSeconds = createHistogram(
    {
      name: "quern_page_seconds",
      help: "Time to read a page, for getQueryRunResults or as the first page of createQueryRun, in seconds.",
    },
    pageBounds,
  );
  let isReady = true;
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();

  /** Returns percentiles since the last collection, so that they describe minutes and not days. */
  function loopDelays(): readonly Sample[] {
    const samples = [50, 99].map((percent) => ({
      labels: { quantile: String(percent / 100) },
      value: delay.percentile(percent) / 1e9,
    }));
    delay.reset();
    return samples;
  }

  /** Returns the stored bytes and the quotas of the tenants that have stored results. */
  async function storage(): Promise<readonly MetricFamily[]> {
    const stored = await sources.storedBytes();
    const quotas = await Promise.all(stored.map(({ tenantId }) => sources.maxStoredBytes(tenantId)));
    const sampleOf = (tenant: string, value: number): Sample => ({ labels: { tenant }, value });
    return [
      gauge(
        "quern_stored_bytes",
        "Size of the stored results of a tenant, in bytes.",
        stored.map(({ tenantId, bytes }) => sampleOf(tenantId, bytes)),
      ),
      gauge(
        "quern_stored_limit_bytes",
        "Quota of the stored results of a tenant, in bytes. A tenant without a quota is missing.",
        stored.flatMap(({ tenantId }, index) => {
          const quota = quotas[index];
          return quota === undefined ? [] : [sampleOf(tenantId, quota)];
        }),
      ),
    ];
  }

  /** Returns the figures of the store, which are missing on a server that is not the leader or cannot reach the store. */
  async function storeGauges(missing: readonly string[]): Promise<readonly MetricFamily[]> {
    if (!sources.isLeader() || missing.includes("store")) return [];
    try {
      const [{ ready, running, streaming, oldestReadyAt }, stored, time] = await Promise.all([
        counts(),
        storage(),
        now(),
      ]);
      const oldest = oldestReadyAt === null ? 0 : Math.max(0, time - oldestReadyAt) / 1_000;
      const unfinished = Object.entries({ ready, running, streaming });
      return [
        gauge(
          "quern_runs",
          "Runs that have not ended.",
          unfinished.map(([state, value]) => ({ labels: { state }, value })),
        ),
        gauge("quern_queue_length", "Runs that wait in the queue.", ready),
        gauge(
          "quern_oldest_waiting_run_seconds",
          "Time since the creation of the oldest run that waits in the queue, in seconds; 0 if none waits.",
          oldest,
        ),
        ...stored,
      ];
    } catch (error) {
      if (isUnavailableError(error)) return [];
      throw error;
    }
  }

  async function gauges(): Promise<readonly MetricFamily[]> {
    const missing = await systems.missing();
    const [ofStore, { usedShare, freeBytes }] = await Promise.all([storeGauges(missing), disk()]);
    const processes = children().map(({ kind, state, count }) => ({ labels: { kind, state }, value: count }));
    return [
      gauge("quern_ready", "1 until the service begins to shut down, then 0.", Number(isReady)),
      gauge(
        "quern_leader",
        "1 for the server that reports the figures of the store and removes expired results, otherwise 0.",
        Number(sources.isLeader()),
      ),
      gauge(
        "quern_system_available",
        "1 if this server reaches its store or its results, otherwise 0.",
        systems.names.map((system) => ({ labels: { system }, value: Number(!missing.includes(system)) })),
      ),
      gauge("quern_child_processes", "Child processes of the server, by the kind of their work and state.", processes),
      ...ofStore,
      gauge("quern_disk_used_ratio", "Used share of the disk of the data directory, from 0 to 1.", usedShare),
      gauge("quern_disk_limit_ratio", "Used share of the disk above which no run starts, from 0 to 1.", maxDiskShare),
      gauge("quern_disk_free_bytes", "Free space on the disk of the data directory, in bytes.", freeBytes),
      gauge(
        "process_resident_memory_bytes",
        "Resident memory of the server process, in bytes.",
        process.memoryUsage.rss(),
      ),
      {
        name: "quern_event_loop_delay_seconds",
        type: "summary",
        help: "Delay of the event loop since the last collection of the metrics, in seconds.",
        samples: loopDelays(),
      },
    ];
  }

  return {
    runClaimed({ attempt, createdAt, startedAt }) {
      if (attempt === 1 && startedAt !== null) queueSeconds.observe((startedAt - createdAt) / 1_000);
    },
    runEnded({ state, startedAt, endedAt, failure }) {
      ended.add({ state: state.replace("QUERY_STATE_", "").toLowerCase() });
      if (failure !== null) failures.add(failureLabels(failure));
      if (startedAt !== null && endedAt !== null) runSeconds.observe((endedAt - startedAt) / 1_000);
    },
    workerLost(lost) {
      lostWorkers.add({});
      if (lost === "server") reclaimed.add({});
    },
    resultStoreFailed: (call) => resultFailures.add({ call }),
    requested: (outcome) => requests.add({ outcome }),
    pageRead(bytes) {
      reads.add({});
      readBytes.add({}, bytes);
    },
    pageAnswered: (seconds) => pageSeconds.observe(seconds),
    answered: (httpStatus) => responses.add({ code: String(httpStatus) }),
    draining() {
      isReady = false;
    },
    async text(format) {
      const counters = [ended, failures, lostWorkers, reclaimed, resultFailures, requests, responses, reads, readBytes];
      const histograms = [runSeconds, queueSeconds, pageSeconds];
      const measured = [...counters, ...histograms].map((each) => each.family());
      return exposition([...(await gauges()), ...measured, ...(sources.sourceFamilies?.() ?? [])], format);
    },
    close: () => delay.disable(),
  };
}

function gauge(name: string, help: string, value: number | readonly Sample[]): MetricFamily {
  return { name, type: "gauge", help, samples: typeof value === "number" ? [{ value }] : value };
}
