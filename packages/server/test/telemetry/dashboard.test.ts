import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { expect, it } from "vitest";
import { startServer } from "../fixture.ts";
import { dashboard, queryOf, targets } from "./dashboard.ts";

/** Metrics that Prometheus itself writes, with their labels. */
const ofPrometheus = { up: [] };
/** Labels that Prometheus adds to each metric. */
const targetLabels = ["job", "instance"];

/** Metrics of a scrape with their labels, and the families with these metrics. */
async function scrape(url: string) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const metrics = new Map<string, readonly string[]>(Object.entries(ofPrometheus));
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm))
    metrics.set(
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
    );
  return { metrics, families: [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name) };
}

/** Names in an expression, by its syntax tree; a fault of the syntax is the name `⚠`. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      const text = expr.slice(from, to);
      if (type.isError) metrics.push("⚠");
      else if (type.name === "Identifier" && node.parent?.name === "VectorSelector") metrics.push(text);
      else if (type.name === "LabelName") labels.push(text);
    },
  });
  return { metrics, labels };
}

it("finds the metrics and labels of an expression, and faults of its syntax", () => {
  expect(namesIn('sum by (a) (rate(m_total{b="c"}[5m])) / up')).toEqual({
    metrics: ["m_total", "up"],
    labels: ["a", "b"],
  });
  expect(namesIn("sum(m").metrics).toContain("⚠");
});

it("the dashboard and the alerts name only metrics and labels of a service, and the dashboard shows all metrics", async () => {
  // With a quota, so that no metric is missing.
  await using server = await startServer({ limits: { maxStoredBytes: 1e9 } });
  await server.run("select 1");
  const { metrics, families } = await scrape(server.url);
  const rules = readFileSync(new URL("../../../../docs/guides/alerts.yml", import.meta.url), "utf8");
  const alerts = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = ""]) => ({ at: expr, expr }));
  expect(alerts.length).toBe(rules.match(/- alert: /g)?.length);
  const faults = [...targets, ...alerts].flatMap(({ at, ...target }) => {
    const names = namesIn(queryOf(target, "5m"));
    const known = [...targetLabels, ...names.metrics.flatMap((name) => metrics.get(name) ?? [])];
    const unknown = [
      ...names.metrics.filter((name) => !metrics.has(name)),
      ...names.labels.filter((label) => !known.includes(label)),
    ];
    return unknown.map((name) => `${at}: ${name}`);
  });
  expect(faults).toEqual([]);
  const shown = targets.flatMap((target) => namesIn(queryOf(target, "5m")).metrics);
  const isShown = (family: string) => shown.includes(family) || shown.includes(`${family}_bucket`);
  expect(families.filter((family) => !isShown(family))).toEqual([]);
});

it("the panels of the dashboard differ in their ids, do not overlap, and take the datasource from a variable", () => {
  const { panels, templating } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(templating.list.find(({ name }) => name === "datasource")?.type).toBe("datasource");
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  const source = { type: "prometheus", uid: `$${"{datasource}"}` };
  for (const panel of panels.filter(({ type }) => type !== "row")) {
    expect(panel).toMatchObject({ datasource: source, description: expect.stringMatching(/\.$/) });
    expect(panel.targets?.map((target) => target.datasource)).toEqual(panel.targets?.map(() => source));
    expect(new Set(panel.targets?.map(({ refId }) => refId)).size).toBe(panel.targets?.length);
  }
});

it("the dashboard takes the maximum of what the leader alone reports, since two leaders may be read in one interval", () => {
  const ofLeader = /quern_(runs|queue_length|oldest_waiting_run_seconds|stored_bytes|stored_limit_bytes)\b/;
  const sums = targets.filter(({ expr }) => ofLeader.test(expr) && !/^max\b/.test(expr));
  expect(sums.map(({ at }) => at)).toEqual([]);
});
