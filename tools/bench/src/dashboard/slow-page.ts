/** Page of fifty slow panels that show their state. When each has its rows, it posts the figures of its renders to `/figures`. */
import { createClient } from "@quern/client";
import { QuernDashboard, QuernProvider, useQueryResults } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, useEffect } from "react";
import { createRoot } from "react-dom/client";

const PANELS = 50;
/** States that the renders of each panel have shown, in order. */
const shown = new Map<number, string[]>();
let filled = 0;

function Panel({ panel }: { readonly panel: number }) {
  const sql = `select ${panel} as panel, sum(sqrt(n) * ln(n + 1)) as total from range(${PAGE_ROWS}) as t(n)`;
  const { state, data } = useQueryResults({ sql });
  shown.set(panel, [...(shown.get(panel) ?? []), state]);
  const isFilled = data !== undefined;
  useEffect(() => {
    if (isFilled && ++filled === PANELS)
      void fetch("/figures", { method: "POST", body: JSON.stringify([...shown.values()]) });
  }, [isFilled]);
  return createElement("p", null, `${state} ${data?.rows.length ?? ""}`);
}

/** Number of rows that each panel reads; the bundler replaces it. */
declare const PAGE_ROWS: number;

const panels = Array.from({ length: PANELS }, (_, panel) => createElement(Panel, { key: panel, panel }));
createRoot(document.body).render(
  createElement(
    QueryClientProvider,
    { client: new QueryClient() },
    createElement(
      QuernProvider,
      { client: createClient({ url: window.location.origin }) },
      createElement(QuernDashboard, null, panels),
    ),
  ),
);
