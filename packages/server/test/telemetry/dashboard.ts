import { readFileSync } from "node:fs";

/** Query of a panel. */
export interface Target {
  readonly expr: string;
  readonly legendFormat: string;
  readonly refId: string;
  readonly datasource: unknown;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

const file = new URL("../../../../docs/guides/grafana-dashboard.json", import.meta.url);

/** Dashboard of the guide to operation. */
export const dashboard: Dashboard = JSON.parse(readFileSync(file, "utf8"));

export const targets: readonly (Target & { readonly at: string })[] = dashboard.panels.flatMap(
  ({ title, targets: all = [] }) => all.map((target) => ({ ...target, at: `${title} ${target.refId}` })),
);

/** Returns a query with the variables of Grafana replaced, as for all servers. */
export function queryOf({ expr }: Pick<Target, "expr">, interval: string): string {
  return expr.replaceAll("$__rate_interval", interval).replaceAll("$job", "quern").replaceAll("$server", ".*");
}
