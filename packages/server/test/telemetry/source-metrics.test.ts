import { expect, it } from "vitest";
import { exposition } from "../../src/telemetry/exposition.ts";
import { createSourceMetrics } from "../../src/telemetry/source-metrics.ts";

const valuesOf = ({ families }: ReturnType<typeof createSourceMetrics>) =>
  exposition(families(), "text")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

it("has no metrics of data sources before one is known, and then those of each", () => {
  const metrics = createSourceMetrics();
  expect(valuesOf(metrics)).toEqual([]);
  metrics.known("lake");
  metrics.known("shop");
  expect(valuesOf(metrics)).toEqual([
    'quern_source_connection_failures_total{source="lake"} 0',
    'quern_source_connection_failures_total{source="shop"} 0',
    'quern_source_available{source="lake"} 1',
    'quern_source_available{source="shop"} 1',
  ]);
  metrics.connectionFailed("lake");
  metrics.connectionFailed("lake");
  metrics.available("lake", false);
  metrics.known("lake"); // with a new address
  expect(valuesOf(metrics)).toEqual([
    'quern_source_connection_failures_total{source="lake"} 2',
    'quern_source_connection_failures_total{source="shop"} 0',
    'quern_source_available{source="lake"} 0',
    'quern_source_available{source="shop"} 1',
  ]);
  metrics.available("lake", true);
  expect(valuesOf(metrics)[2]).toBe('quern_source_available{source="lake"} 1');
});
