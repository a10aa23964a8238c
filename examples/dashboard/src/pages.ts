import type { DashboardPage, Panel } from "./panel.ts";
import { aircraft } from "./panels/aircraft.ts";
import { cars } from "./panels/cars.ts";
import { countries } from "./panels/countries.ts";
import { films } from "./panels/films.ts";
import { nature } from "./panels/nature.ts";
import { stocks } from "./panels/stocks.ts";
import { customers } from "./panels/tpch/customers.ts";
import { orders } from "./panels/tpch/orders.ts";
import { parts } from "./panels/tpch/parts.ts";
import { weather } from "./panels/weather.ts";

export const pages = {
  samples: { title: "The samples at a glance", sections: [aircraft, weather, countries, films, cars, stocks, nature] },
  tpch: { title: "A wholesaler at a glance", sections: [orders, customers, parts] },
} as const satisfies Readonly<Record<string, DashboardPage>>;

/** Returns the page that the variable `VITE_PANELS` names. @default the page over the samples */
export function chosenPage(name = "samples"): DashboardPage {
  const page = Object.entries(pages).find(([each]) => each === name)?.[1];
  if (page === undefined) throw new Error(`Unknown VITE_PANELS: ${name}; use one of ${Object.keys(pages).join(", ")}.`);
  return page;
}

/** Returns all panels of a page. */
export const panelsOf = ({ sections }: DashboardPage): readonly Panel[] =>
  sections.flatMap(({ figures = [], panels }) => [...figures, ...panels]);
