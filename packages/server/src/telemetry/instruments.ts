import type { MetricFamily, Sample } from "./exposition.ts";

/** Number that only grows until the server ends, for each combination of label values. */
export interface Counter<Label extends string> {
  add(labels: Readonly<Record<Label, string>>, more?: number): void;
  family(): MetricFamily;
}

/** Distribution of values. */
export interface Histogram {
  observe(value: number): void;
  family(): MetricFamily;
}

type Description = Pick<MetricFamily, "name" | "help">;

/** @param initial label values that are reported from the start, so that their first increase is seen */
export function createCounter<Label extends string>(
  description: Description,
  initial: readonly Readonly<Record<Label, string>>[],
): Counter<Label> {
  const samples = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();
  const sampleOf = (labels: Readonly<Record<Label, string>>) => {
    const key = JSON.stringify(labels);
    const sample = samples.get(key) ?? { labels, value: 0 };
    samples.set(key, sample);
    return sample;
  };
  for (const labels of initial) sampleOf(labels);
  return {
    add(labels, more = 1) {
      sampleOf(labels).value += more;
    },
    family: () => ({ ...description, type: "counter", samples: [...samples.values()] }),
  };
}

/** @param bounds upper bounds of the buckets, in ascending order */
export function createHistogram(description: Description, bounds: readonly number[]): Histogram {
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound) => ({ bound, value: 0 }));
  let count = 0;
  let sum = 0;
  return {
    observe(value) {
      count += 1;
      sum += value;
      for (const bucket of buckets) if (value <= bucket.bound) bucket.value += 1;
    },
    family() {
      const bucketSamples = buckets.map(
        ({ bound, value }): Sample => ({ suffix: "_bucket", labels: { le: boundText(bound) }, value }),
      );
      const totals = [
        { suffix: "_sum", value: sum },
        { suffix: "_count", value: count },
      ];
      return { ...description, type: "histogram", samples: [...bucketSamples, ...totals] };
    },
  };
}

/** Writes a bound as OpenMetrics requires it: `1.0` for 1. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
