import "../../../repo-rules/src/browser.ts";
import { createClient, type UntypedRow } from "@quern/client";
import { QuernDashboard, QuernProvider, useQueryResults } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, type ReactNode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { alternately, bounded, median } from "../measure.ts";
import { type Service, startService } from "../service.ts";
import { PlainService, plainCall, usePlainRows } from "./plain-hooks.ts";
import { slowPanels } from "./slow-panels.ts";

const PANELS = 50;
/** Times that each service fills the panels. */
const ROUNDS = 5;
/** Numbers that a slow panel reads; the service executes five of the panels at a time. */
const SLOW_ROWS = 8_000_000;

/** Way to build a dashboard. */
interface Way {
  readonly name: string;
  provide(service: Service, onRequest: () => void, panels: ReactNode): ReactNode;
  useRows(sql: string): readonly unknown[] | undefined;
}

interface Figures {
  readonly requests: number;
  /** Most renders of a single panel, without its first. */
  readonly renders: number;
  readonly ms: number;
}

function provideQuern({ url, apiKey }: Service, onRequest: () => void, children: ReactNode): ReactNode {
  const client = createClient({
    url,
    apiKey,
    interceptors: [
      (request, next) => {
        onRequest();
        return next(request);
      },
    ],
  });
  return createElement(QuernProvider, { client }, children);
}

const useQuernRows = (sql: string): readonly UntypedRow[] | undefined => useQueryResults({ sql }).data?.rows;

const QUERN: Way = { name: "@quern/react", provide: provideQuern, useRows: useQuernRows };

const QUEUED: Way = {
  name: "@quern/react, QuernDashboard",
  provide: (service, onRequest, panels) =>
    provideQuern(service, onRequest, createElement(QuernDashboard, null, panels)),
  useRows: useQuernRows,
};

const PLAIN: Way = {
  name: "three plain hooks",
  provide: ({ url, apiKey }, onRequest, panels) =>
    createElement(PlainService.Provider, { value: plainCall(url, apiKey, onRequest) }, panels),
  useRows: usePlainRows,
};

/**
 * Mounts fifty panels together in each way, each panel with its own statement, and waits until each has its rows.
 * Opens a page of slow panels in Chromium, too. Compares the time of the first way with its time on a service that starts a
 * process for each run.
 */
export async function dashboard(): Promise<void> {
  await using service = await startService();
  await fill(service, QUERN, "warm");
  for (const way of [QUERN, QUEUED, PLAIN]) {
    const { requests, renders, ms } = await fill(service, way, way.name);
    console.log(`${way.name}: the last of ${PANELS} panels has its rows after ${ms.toFixed(0)} ms`);
    const what = [`  HTTP requests`, `  renders of a panel after its first`] as const;
    if (way === PLAIN) console.log(`${what[0]}: ${requests}\n${what[1]}: ${renders}`);
    else {
      bounded({ what: what[0], value: requests, atMost: 15 });
      bounded({ what: what[1], value: renders, atMost: 2 });
    }
  }
  await slowPanels(service, SLOW_ROWS);
  await using separate = await startService({ isolation: "run" });
  await fill(separate, QUERN, "warm");
  let round = 0;
  const again = (on: Service) => () => fill(on, QUERN, `round ${++round}`);
  const { ours, theirs } = await alternately(ROUNDS, again(service), again(separate));
  console.log(
    `${QUERN.name}, medians of ${ROUNDS}: ${median(ours).toFixed(0)} ms, ` +
      `a process for each run ${median(theirs).toFixed(0)} ms`,
  );
  bounded({ what: "time, user / run", value: median(ours) / median(theirs), atMost: 1 / 6 });
}

async function fill(service: Service, { provide, useRows }: Way, tag: string): Promise<Figures> {
  let requests = 0;
  const renders = new Map<string, number>();
  const filled = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();

  function Panel({ sql }: { readonly sql: string }) {
    const rows = useRows(sql);
    renders.set(sql, (renders.get(sql) ?? 0) + 1);
    useEffect(() => {
      if (rows && filled.add(sql).size === PANELS) resolve();
    }, [rows, sql]);
    return createElement("p", null, rows?.length ?? "…");
  }

  const panels = Array.from({ length: PANELS }, (_, panel) =>
    createElement(Panel, { key: panel, sql: statement(tag, panel) }),
  );
  const onRequest = () => {
    requests += 1;
  };
  const queryClient = new QueryClient();
  const page = createElement(QueryClientProvider, { client: queryClient }, provide(service, onRequest, panels));
  const root = createRoot(document.createElement("div"));
  const start = performance.now();
  root.render(page);
  await promise;
  const ms = performance.now() - start;
  root.unmount();
  queryClient.clear();
  return { requests, renders: Math.max(...renders.values()) - 1, ms };
}

/**
 * Returns the statement of a panel, which reads 10,000 to 820,000 numbers. `tag` makes the statements of each way
 * different, so that no way reuses the results of another one.
 */
function statement(tag: string, panel: number): string {
  const rows = 10_000 * (1 + (panel % 10) ** 2);
  return `select n % 10 as bucket, count(*) as numbers, sum(n) as total from range(${rows}) as t(n) where '${tag}' <> '' and n % 50 <> ${panel} group by 1`;
}
