import { expect, it } from "vitest";
import { createCounter, createHistogram } from "../../src/telemetry/instruments.ts";

const description = { name: "quern_things", help: "Things." };

it("a counter counts each combination of labels, from 0 for the initial ones", () => {
  const counter = createCounter<"a" | "b">(description, [{ a: "1", b: "2" }]);
  const samples = () => counter.family().samples;
  expect(counter.family()).toEqual({
    ...description,
    type: "counter",
    samples: [{ labels: { a: "1", b: "2" }, value: 0 }],
  });
  counter.add({ a: "2", b: "1" });
  counter.add({ a: "1", b: "2" }, 5);
  counter.add({ a: "2", b: "1" });
  counter.add({ a: "1", b: "2" }, 0);
  counter.add({ a: "1", b: "2" }, 0.5);
  expect(samples()).toEqual([
    { labels: { a: "1", b: "2" }, value: 5.5 },
    { labels: { a: "2", b: "1" }, value: 2 },
  ]);
});

it("a counter without initial labels has no sample until it counts", () => {
  const counter = createCounter<never>(description, []);
  expect(counter.family().samples).toEqual([]);
  counter.add({});
  expect(counter.family().samples).toEqual([{ labels: {}, value: 1 }]);
});

it("a histogram counts the values up to each bound, and all values", () => {
  const histogram = createHistogram(description, [0.25, 1, 20]);
  const valuesOf = () => histogram.family().samples.map(({ value }) => value);
  expect(histogram.family()).toEqual({
    ...description,
    type: "histogram",
    samples: [
      { suffix: "_bucket", labels: { le: "0.25" }, value: 0 },
      { suffix: "_bucket", labels: { le: "1.0" }, value: 0 },
      { suffix: "_bucket", labels: { le: "20.0" }, value: 0 },
      { suffix: "_bucket", labels: { le: "+Inf" }, value: 0 },
      { suffix: "_sum", value: 0 },
      { suffix: "_count", value: 0 },
    ],
  });
  histogram.observe(0.25);
  expect(valuesOf()).toEqual([1, 1, 1, 1, 0.25, 1]);
  histogram.observe(0.5);
  histogram.observe(20);
  histogram.observe(20.25);
  expect(valuesOf()).toEqual([1, 2, 3, 4, 41, 4]);
});
