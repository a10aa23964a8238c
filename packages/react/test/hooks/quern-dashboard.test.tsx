// @vitest-environment happy-dom
import { useSuspenseQuery } from "@tanstack/react-query";
import { Profiler, Suspense, useRef } from "react";
import { flushSync } from "react-dom";
import { describe, expect, it, vi } from "vitest";
import { createService, patience } from "../../../query-options/test/support/service.ts";
import {
  type PanelOptions,
  QuernDashboard,
  queryResultsOptions,
  useClient,
  useInfiniteResults,
  usePanelQueue,
  useQueryResults,
} from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

/** Panel at a distance from the upper edge of the window, in pixels. */
function Panel({ sql, top = 0, priority }: { sql: string; top?: number } & Pick<PanelOptions, "priority">) {
  const element = useRef<HTMLParagraphElement>(null);
  const { data } = useQueryResults({ sql }, { element, priority });
  const put = (paragraph: HTMLParagraphElement | null) => {
    element.current = paragraph;
    if (paragraph) paragraph.getBoundingClientRect = () => new DOMRect(0, top, 100, 100);
  };
  return <p ref={put}>{data ? "rows " : "… "}</p>;
}

/** Service whose queries take half a minute of the virtual clock. */
function createSlowService() {
  const service = createService();
  service.mock
    .when(/panel/)
    .after("30s")
    .rows([{ n: 1 }]);
  return service;
}

describe("QuernDashboard", () => {
  it("starts panels in view first, then by priority", async () => {
    const { mock, client, created } = createService();
    mock.when(/panel/).rows([{ n: 1 }]);
    using page = openPage(client);
    page.render(
      <QuernDashboard concurrency={1}>
        <Panel sql="panel far below" top={5000} />
        <Panel sql="panel above, urgent" top={-2000} priority={1} />
        <Panel sql="panel in view" />
        <Panel sql="panel in view, urgent" priority={1} />
      </QuernDashboard>,
    );
    await page.shows("rows rows rows rows ");
    expect(created).toEqual(["panel in view, urgent", "panel in view", "panel above, urgent", "panel far below"]);
  });

  it("limits the concurrency, and renders no panel when the queue moves", async () => {
    const { mock, client, created } = createSlowService();
    const renders = vi.fn();
    using page = openPage(client);
    const statements = ["a", "b", "c", "d", "e"].map((name) => `panel ${name}`);
    page.render(
      <QuernDashboard concurrency={2}>
        {statements.map((sql) => (
          <Profiler key={sql} id={sql} onRender={renders}>
            <Panel sql={sql} />
          </Profiler>
        ))}
      </QuernDashboard>,
    );
    for (const [runs, shown] of [
      [2, "… … … … … "],
      [4, "rows rows … … … "],
      [5, "rows rows rows rows … "],
    ] as const) {
      await page.shows(shown);
      await vi.waitFor(() => expect(created).toEqual(statements.slice(0, runs)), patience);
      mock.clock.advance("30s");
    }
    await page.shows("rows rows rows rows rows ");
    expect(renders.mock.calls.length).toBe(2 * statements.length);
  });

  it("has a concurrency of fifty by default", async () => {
    const { client, created } = createSlowService();
    using page = openPage(client);
    const statements = Array.from({ length: 60 }, (_, number) => `panel ${number}`);
    page.render(
      <QuernDashboard>
        {statements.map((sql) => (
          <Panel key={sql} sql={sql} />
        ))}
      </QuernDashboard>,
    );
    await vi.waitFor(() => expect(created).toEqual(statements.slice(0, 50)), patience);
  });

  it("creates no run for a panel that has unmounted in the queue", async () => {
    const { mock, client, created } = createSlowService();
    using page = openPage(client);
    const show = (...names: string[]) =>
      page.render(
        <QuernDashboard concurrency={1}>
          {names.map((name) => (
            <Panel key={name} sql={`panel ${name}`} />
          ))}
        </QuernDashboard>,
      );
    show("a", "b", "c");
    await vi.waitFor(() => expect(created).toEqual(["panel a"]), patience);
    // `flushSync` also runs the effects, one of which removes the panel from the queue.
    flushSync(() => show("a", "c"));
    await page.shows("… … ");
    mock.clock.advance("30s");
    await vi.waitFor(() => expect(created).toEqual(["panel a", "panel c"]), patience);
  });

  it("reads the position of a panel when a slot is free, not when it mounts", async () => {
    const { mock, client, created } = createSlowService();
    using page = openPage(client);
    const show = (urgent: string) =>
      page.render(
        <QuernDashboard concurrency={1}>
          {["a", "b", "c"].map((name) => (
            <Panel key={name} sql={`panel ${name}`} priority={Number(name === urgent)} />
          ))}
        </QuernDashboard>,
      );
    show("a");
    await vi.waitFor(() => expect(created).toEqual(["panel a"]), patience);
    flushSync(() => show("c"));
    mock.clock.advance("30s");
    await vi.waitFor(() => expect(created).toEqual(["panel a", "panel c"]), patience);
  });

  it("starts queued panels when the concurrency is raised", async () => {
    const { client, created } = createSlowService();
    using page = openPage(client);
    const show = (concurrency: number) =>
      page.render(
        <QuernDashboard concurrency={concurrency}>
          {["a", "b", "c"].map((name) => (
            <Panel key={name} sql={`panel ${name}`} />
          ))}
        </QuernDashboard>,
      );
    show(1);
    await vi.waitFor(() => expect(created).toEqual(["panel a"]), patience);
    show(3);
    await vi.waitFor(() => expect(created).toEqual(["panel a", "panel b", "panel c"]), patience);
  });

  it("creates one run for a StrictMode mount", async () => {
    const { mock, client, created } = createService();
    mock.when(/panel/).rows([{ n: 1 }]);
    using page = openPage(client);
    page.render(
      <QuernDashboard concurrency={1}>
        <Panel sql="panel a" />
        <Panel sql="panel b" />
      </QuernDashboard>,
      { strict: true },
    );
    await page.shows("rows rows ");
    expect(created).toEqual(["panel a", "panel b"]);
  });

  it("starts a suspended query that the dashboard itself waits for", async () => {
    const { mock, client } = createService();
    mock.when("panel").rows([{ n: 1 }]);
    function Suspended() {
      const { data } = useSuspenseQuery(
        queryResultsOptions(useClient(), { sql: "panel", maxAgeMinutes: 60 }, usePanelQueue()),
      );
      return <p>{data.rows.length}</p>;
    }
    using page = openPage(client);
    page.render(
      <Suspense fallback="waiting">
        <QuernDashboard>
          <Suspended />
        </QuernDashboard>
      </Suspense>,
    );
    await page.shows("1");
  });

  it("queues pages, and options with `usePanelQueue`", async () => {
    const { mock, client, created } = createSlowService();
    function Pages() {
      return <p>{useInfiniteResults({ sql: "panel pages" }).data ? "pages " : "… "}</p>;
    }
    function Suspended() {
      const { data } = useSuspenseQuery(queryResultsOptions(useClient(), { sql: "panel suspended" }, usePanelQueue()));
      return <p>{data.rows.length}</p>;
    }
    using page = openPage(client);
    page.render(
      <QuernDashboard concurrency={1}>
        <Panel sql="panel first" priority={1} />
        <Pages />
        <Suspense fallback="waiting">
          <Suspended />
        </Suspense>
      </QuernDashboard>,
    );
    // A component that suspends starts its query while it renders; the others start after they have mounted.
    for (const statement of ["panel suspended", "panel first", "panel pages"]) {
      await vi.waitFor(() => expect(created.at(-1)).toBe(statement), patience);
      mock.clock.advance("30s");
    }
    await page.shows("rows pages 1");
    expect(created).toHaveLength(3);
  });
});
