import { expect, it } from "vitest";
import { contentTypes, exposition, formatFor, type MetricFamily } from "../../src/telemetry/exposition.ts";
import { failureLabels, initialFailures } from "../../src/telemetry/failure-labels.ts";

it.each([
  [undefined, "text"],
  ["", "text"],
  ["text/plain", "text"],
  ["application/openmetrics-text", "openMetrics"],
  ["Application/OpenMetrics-Text", "openMetrics"],
  ["application/openmetrics-text ;version=1.0.0", "openMetrics"],
  ["text/plain,application/openmetrics-text,*/*", "openMetrics"],
  ["text/plain, application/openmetrics-text", "openMetrics"],
  ["x-application/openmetrics-text", "text"],
  ["application/openmetrics-text-2", "text"],
])("chooses a format for the header %s", (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

it("names the content type of each format", () => {
  expect(contentTypes).toEqual({
    text: "text/plain; version=0.0.4; charset=utf-8",
    openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  });
});

it("writes families with suffixes, labels and special numbers", () => {
  const numbers = [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const families: readonly MetricFamily[] = [
    { name: "calls", type: "counter", help: "Calls.", samples: [{ value: 2 }] },
    { name: "load", type: "gauge", help: "Load.", samples: numbers.map((value) => ({ value })) },
    {
      name: "time",
      type: "histogram",
      help: "Seconds.",
      samples: [{ suffix: "_bucket", labels: { le: "0.1", name: 'a"b\\c\nd"' }, value: 1 }],
    },
  ];
  const rest = [
    "# TYPE load gauge",
    "# HELP load Load.",
    "load 1.5",
    "load NaN",
    "load +Inf",
    "load -Inf",
    "# TYPE time histogram",
    "# HELP time Seconds.",
    'time_bucket{le="0.1",name="a\\"b\\\\c\\nd\\""} 1',
    "",
  ].join("\n");
  const text = exposition(families, "text");
  expect(text).toBe(`# TYPE calls_total counter\n# HELP calls_total Calls.\ncalls_total 2\n${rest}`);
  const openMetrics = exposition(families, "openMetrics");
  expect(openMetrics).toBe(`# TYPE calls counter\n# HELP calls Calls.\ncalls_total 2\n${rest}# EOF\n`);
});

it.each([
  ["BinderError", "USER", { error_name: "BinderError", category: "USER" }],
  ["IOError", "USER", { error_name: "IOError", category: "USER" }],
  ["MyError", "RESOURCE", { error_name: "other", category: "RESOURCE" }],
  ["MyError", "toString", { error_name: "other", category: "INTERNAL" }],
])("reports the failure %s of the category %s", (name, category, labels) => {
  expect(failureLabels({ name, message: "", data: { category } } as Parameters<typeof failureLabels>[0])).toEqual(
    labels,
  );
});

it("reports each known failure from the start", () => {
  const names = (category: string) =>
    initialFailures.filter((each) => each.category === category).map(({ error_name }) => error_name);
  expect(initialFailures).toHaveLength(25);
  expect(names("USER")).toEqual([
    "BinderError",
    "CatalogError",
    "ConversionError",
    "InvalidInputError",
    "NotImplementedError",
    "OutOfRangeError",
    "ParserError",
    "PivotValuesChanged",
    "StatementNotAllowed",
    "UnsupportedType",
  ]);
  expect(names("RESOURCE")).toEqual([
    "LimitExceeded",
    "OutOfMemoryError",
    "QueryRunTimedOut",
    "ResultTooLarge",
    "StorageFull",
    "StorageQuotaExceeded",
  ]);
  expect(names("DATA_SOURCE")).toEqual([
    "DataSourceNotFound",
    "DataSourceUnavailable",
    "IOError",
    "InvalidDataSource",
    "InvalidValue",
  ]);
  expect(names("INTERNAL")).toEqual(["FatalError", "InternalError", "WorkerLost", "other"]);
});
