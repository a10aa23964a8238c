/** Values of one metric, in a form that both text formats can express. */
export interface MetricFamily {
  /** Name without the suffix `_total`, which each format adds to a counter where it expects it. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** Meaning and unit of the values, as a sentence. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Suffix of the name, such as `_bucket`. @default `_total` for a counter, else none */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Text format of metrics: that of Prometheus, which all tools read, or OpenMetrics. */
export type ExpositionFormat = "text" | "openMetrics";

export const contentTypes: Readonly<Record<ExpositionFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Chooses the format of a response: OpenMetrics for a client that names it, as Prometheus does. */
export function formatFor(accept = ""): ExpositionFormat {
  return /(^|[\s,])application\/openmetrics-text\s*(;|,|$)/i.test(accept) ? "openMetrics" : "text";
}

/**
 * Writes metrics in a text format.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
export function exposition(families: readonly MetricFamily[], format: ExpositionFormat): string {
  const texts = families.map((family) => familyText(family, format));
  return `${texts.join("")}${format === "openMetrics" ? "# EOF\n" : ""}`;
}

function familyText({ name, type, help, samples }: MetricFamily, format: ExpositionFormat): string {
  const total = type === "counter" ? "_total" : "";
  // OpenMetrics describes a counter without its suffix, the older format with it.
  const described = format === "openMetrics" ? name : `${name}${total}`;
  const lines = samples.map(
    ({ suffix = total, labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
  );
  return [`# TYPE ${described} ${type}`, `# HELP ${described} ${help}`, ...lines, ""].join("\n");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escaped)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
