import type { SourceReports } from "../sources/source-health.ts";
import type { MetricFamily } from "./exposition.ts";
import { createCounter } from "./instruments.ts";

/** Metrics of the connections to data sources. */
export interface SourceMetrics extends SourceReports {
  /** Returns no family without sources of other engines. */
  families(): readonly MetricFamily[];
}

export function createSourceMetrics(): SourceMetrics {
  const failures = createCounter<"source">(
    { name: "quern_source_connection_failures", help: "Failures to reach the engine of a data source." },
    [],
  );
  const availability = new Map<string, boolean>();

  return {
    known(source) {
      if (availability.has(source)) return;
      availability.set(source, true);
      failures.add({ source }, 0);
    },
    connectionFailed: (source) => failures.add({ source }),
    available: (source, isAvailable) => void availability.set(source, isAvailable),
    families() {
      if (availability.size === 0) return [];
      const samples = [...availability].map(([source, isAvailable]) => ({
        labels: { source },
        value: Number(isAvailable),
      }));
      const help =
        "0 while queries on a data source fail at once, because its engine could not be reached, otherwise 1.";
      return [failures.family(), { name: "quern_source_available", type: "gauge", help, samples }];
    },
  };
}
