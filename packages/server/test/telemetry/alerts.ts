import { readFileSync } from "node:fs";
import { eventually, type TestServer } from "../fixture.ts";
import type { Prometheus } from "./prometheus.ts";

export const rulesFile = new URL("../../../../docs/guides/alerts.yml", import.meta.url);

/** Alerts of the guide, which fire in half a second instead of minutes. */
export function quickRules(): string {
  return readFileSync(rulesFile, "utf8").replaceAll(/(?<=^ +for: )\w+$/gm, "500ms");
}

export const hostOf = ({ url }: Pick<TestServer, "url">): string => new URL(url).host;

/** Lists the alerts that have been in a state, by name and service; an alert of all servers has the service `all`. */
export async function firedAlerts(reader: Prometheus, states: string): Promise<readonly string[]> {
  const series = await reader.query(`count_over_time(ALERTS{alertstate=~"${states}"}[1h])`);
  return [...new Set(series.map(({ metric }) => `${metric.alertname} ${metric.instance ?? "all"}`))].sort();
}

/** Waits until Prometheus has read the services five times more. */
export async function isReadOften(reader: Prometheus): Promise<void> {
  const reads = async () => (await reader.query("max(count_over_time(up[1h]))"))[0]?.value ?? 0;
  const before = await reads();
  await eventually(async () => (await reads()) >= before + 5);
}
