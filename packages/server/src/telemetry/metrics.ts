import { monitorEventLoopDelay } from "node:perf_hooks";
import type { RunCounts } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";

export const metricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Counters and a histogram since the start of the server, and gauges, in the OpenMetrics text format. */
export interface Metrics {
  runEnded(run: RunRecord): void;
  requested(outcome: "ran" | "reused"): void;
  pageRead(bytes: number): void;
  answered(httpStatus: number): void;
  /** @see https://prometheus.io/docs/specs/om/open_metrics_spec/ */
  text(): Promise<string>;
  close(): void;
}

/** Upper bounds of the histogram buckets of run durations, in seconds. */
const secondsBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_200];

export function createMetrics(counts: () => Promise<RunCounts>): Metrics {
  const ended = new Map<string, number>();
  const requests = new Map<string, number>([
    ["ran", 0],
    ["reused", 0],
  ]);
  const responses = new Map<string, number>();
  const buckets = [...secondsBounds, Number.POSITIVE_INFINITY].map((bound) => ({ bound, count: 0 }));
  const pages = { count: 0, bytes: 0 };
  const runs = { count: 0, seconds: 0 };
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();

  const increment = (counter: Map<string, number>, name: string): void => {
    counter.set(name, (counter.get(name) ?? 0) + 1);
  };

  return {
    runEnded({ state, startedAt, endedAt }) {
      increment(ended, stateName(state));
      if (startedAt === null || endedAt === null) return;
      const seconds = (endedAt - startedAt) / 1_000;
      runs.count += 1;
      runs.seconds += seconds;
      for (const bucket of buckets) if (seconds <= bucket.bound) bucket.count += 1;
    },
    requested: (outcome) => increment(requests, outcome),
    pageRead(bytes) {
      pages.count += 1;
      pages.bytes += bytes;
    },
    answered: (httpStatus) => increment(responses, String(httpStatus)),
    async text() {
      const { ready, running, streaming } = await counts();
      const unfinished = [
        ["ready", ready],
        ["running", running],
        ["streaming", streaming],
      ] as const;
      const delays = ([50, 99] as const).map(
        (percent) => [String(percent / 100), delay.percentile(percent) / 1e9] as const,
      );
      delay.reset(); // so that a percentile covers the time since the last collection, not days
      const families = [
        family("quern_runs", "gauge", "Runs that have not ended.", labelled("", "state", unfinished)),
        family("quern_queue_length", "gauge", "Runs that wait in the queue.", [`quern_queue_length ${ready}`]),
        family("quern_runs_ended", "counter", "Runs that have ended.", labelled("_total", "state", ended)),
        family(
          "quern_requests",
          "counter",
          "Accepted calls of createQueryRun.",
          labelled("_total", "outcome", requests),
        ),
        family("quern_run_seconds", "histogram", "Seconds from the start of a run to its end.", [
          ...buckets.map(({ bound, count }) => `quern_run_seconds_bucket{le="${boundText(bound)}"} ${count}`),
          `quern_run_seconds_sum ${runs.seconds}`,
          `quern_run_seconds_count ${runs.count}`,
        ]),
        family("quern_page_reads", "counter", "Pages and downloads of results that were read.", [
          `quern_page_reads_total ${pages.count}`,
        ]),
        family("quern_page_read_bytes", "counter", "Bytes of the pages and downloads that were read.", [
          `quern_page_read_bytes_total ${pages.bytes}`,
        ]),
        family("quern_http_responses", "counter", "HTTP responses.", labelled("_total", "code", responses)),
        family("process_resident_memory_bytes", "gauge", "Resident memory of the server process, in bytes.", [
          `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
        ]),
        family(
          "quern_event_loop_delay_seconds",
          "gauge",
          "Delay of the event loop since the last collection of the metrics, in seconds.",
          labelled("", "quantile", delays),
        ),
      ];
      return `${families.join("\n")}\n# EOF\n`;
    },
    close: () => delay.disable(),
  };

  function family(name: string, type: string, help: string, samples: readonly string[]): string {
    const lines = samples.map((sample) => (sample.startsWith(name) ? sample : `${name}${sample}`));
    return [`# TYPE ${name} ${type}`, `# HELP ${name} ${help}`, ...lines].join("\n");
  }
}

function labelled(suffix: string, label: string, values: Iterable<readonly [string, number]>): string[] {
  return [...values].map(([value, count]) => `${suffix}{${label}="${value}"} ${count}`);
}

function boundText(bound: number): string {
  return bound === Number.POSITIVE_INFINITY
    ? "+Inf"
    : bound.toFixed(Number.isInteger(bound) ? 1 : 2).replace(/(\.\d)0$/, "$1");
}

/** `QUERY_STATE_SUCCESS` is `success`. */
function stateName(state: string): string {
  return state.replace("QUERY_STATE_", "").toLowerCase();
}
