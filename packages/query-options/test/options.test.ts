import { createClient, getQueryRun } from "@quern/client";
import { QueryClient } from "@tanstack/query-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freshness } from "../src/freshness.ts";
import {
  infiniteResultsOptions,
  queryResultsOptions,
  queryRunOptions,
  serviceKey,
  statementKey,
} from "../src/index.ts";
import type { PageParam } from "../src/infinite-results-options.ts";
import { methodOptions } from "../src/method-options.ts";
import { cachedQuery, isResultGone, isUnreachable, metadataOf, runOf } from "../src/open-run.ts";
import { methodKey } from "../src/query-key.ts";

const client = createClient({
  url: "http://a.example",
  apiKey: "key",
  cacheScope: "ann",
  fetch: () => Promise.reject(),
});
const service = ["quern", client.url, "ann"];

describe("the keys", () => {
  it("begin with the service and its cache scope", () => {
    expect(serviceKey(client)).toEqual(service);
    expect(methodKey(client, "getQueryRun")).toEqual([...service, "getQueryRun"]);
    expect(methodKey(client, "getQueryRun", { queryRunId: "a" })).toEqual([
      ...service,
      "getQueryRun",
      { queryRunId: "a" },
    ]);
    expect(statementKey(client, { sql: "a", tags: { b: "c" }, pageSize: 5 })).toEqual([
      ...service,
      "query",
      { sql: "a", tags: { b: "c" } },
    ]);
    expect(queryRunOptions(client, "run_1").queryKey).toEqual([...service, "run", "run_1"]);
  });

  it("end with the members that tell views apart", () => {
    const view = { filters: [{ column: "a", eq: 1 }], sortBy: [{ column: "a", direction: "asc" as const }] };
    const request = { sql: "a", ...view, maxRows: 5, maxAgeMinutes: 1 };
    const statement = [...service, "query", { sql: "a" }];
    expect(queryResultsOptions(client, request).queryKey).toEqual([...statement, "results", { ...view, maxRows: 5 }]);
    expect(infiniteResultsOptions(client, request).queryKey).toEqual([
      ...statement,
      "pages",
      { ...view, pageSize: 1_000 },
    ]);
    expect(infiniteResultsOptions(client, { ...request, pageSize: 7 }).queryKey.at(-1)).toEqual({
      ...view,
      pageSize: 7,
    });
  });
});

describe("the pages of a result", () => {
  const { getNextPageParam, getPreviousPageParam, initialPageParam } = infiniteResultsOptions(client, {
    sql: "a",
    pageSize: 10,
  });
  const page = { queryRunId: "run_1", asOf: "2026-11-24", offset: 25, nextOffset: 30 } as never;
  const next = (more: object) => getNextPageParam({ ...(page as object), ...more } as never, [], null, []);
  const previous = (more: object) => getPreviousPageParam?.({ ...(page as object), ...more } as never, [], null, []);
  const run = { queryRunId: "run_1", asOf: "2026-11-24" } satisfies Partial<PageParam>;

  it("follow each other to the last one", () => {
    expect(initialPageParam).toBeNull();
    expect(next({})).toEqual({ ...run, offset: 30 });
    expect(next({ nextOffset: null })).toBeUndefined();
  });

  it("precede each other to the first one, which may be shorter", () => {
    expect(previous({})).toEqual({ ...run, offset: 15, end: 25 });
    expect(previous({ offset: 4 })).toEqual({ ...run, offset: 0, end: 4 });
    expect(previous({ offset: 0 })).toBeUndefined();
  });
});

describe("the freshness of a query", () => {
  const withWindow = () => {
    vi.stubGlobal("window", {});
    onTestFinished(() => void vi.unstubAllGlobals());
  };

  it("is as long as its maxAgeMinutes, and its data is kept as long as its result", () => {
    withWindow();
    expect(freshness({ sql: "a", maxAgeMinutes: 2, resultTTLHours: 3 }, [])).toMatchObject({
      staleTime: 120_000,
      gcTime: 10_800_000,
      retry: false,
    });
    expect(freshness({ sql: "a", resultTTLHours: 1_000 }, [])).toMatchObject({ gcTime: 2_147_483_647 });
    const plain = freshness({ sql: "a" }, []);
    expect(plain).not.toHaveProperty("staleTime");
    expect(plain).not.toHaveProperty("gcTime");
  });

  it("refetches on focus and reconnection only with a maxAgeMinutes, or after an outage", () => {
    const reconnects = (maxAgeMinutes: number | undefined, error: unknown) => {
      const { refetchOnReconnect, refetchOnWindowFocus } = freshness({ sql: "a", maxAgeMinutes }, []);
      return [refetchOnWindowFocus, refetchOnReconnect?.({ state: { error } })];
    };
    expect(reconnects(0, { kind: "network" })).toEqual([false, true]);
    expect(reconnects(undefined, { kind: "http" })).toEqual([false, true]);
    expect(reconnects(0, { kind: "rpc" })).toEqual([false, false]);
    expect(reconnects(0, null)).toEqual([false, false]);
    expect(reconnects(1, { kind: "network" })).toEqual([undefined, undefined]);
  });

  it("shows the rows of another view of the same statement meanwhile", () => {
    const { placeholderData } = freshness({ sql: "a" }, ["a", "results", { maxRows: 1 }]);
    expect(placeholderData("rows", { queryKey: ["a", "results", {}] })).toBe("rows");
    expect(placeholderData("rows", { queryKey: ["a", "pages", {}] })).toBeUndefined();
    expect(placeholderData("rows", { queryKey: ["b", "results", {}] })).toBeUndefined();
    expect(placeholderData("rows", undefined)).toBeUndefined();
  });
});

it("a method is called with its params and the signal of the query, and not retried", async () => {
  const method = Object.assign(
    vi.fn(async () => "result"),
    { descriptor: getQueryRun.descriptor },
  );
  const options = methodOptions(method as never, { staleTime: 5 })(client, { queryRunId: "a" } as never);
  expect(options).toMatchObject({
    queryKey: [...service, "getQueryRun", { queryRunId: "a" }],
    retry: false,
    staleTime: 5,
  });
  expect(await new QueryClient().fetchQuery(options)).toBe("result");
  expect(method).toHaveBeenCalledWith(client, { queryRunId: "a" }, { signal: expect.any(AbortSignal) });
  expect(methodOptions(method as never)(client, {} as never)).not.toHaveProperty("staleTime");
});

it("a run is always polled again", () => {
  expect(queryRunOptions(client, "run_1")).toMatchObject({ staleTime: 0, retry: false });
});

describe("an error of a fetch", () => {
  it.each([
    [{ code: -32_172 }, true],
    [{ code: -32_099 }, true],
    [{ code: -32_100 }, false],
    [{}, false],
  ])("%j says that the result is gone: %s", (error, isGone) => {
    expect(isResultGone(error)).toBe(isGone);
  });

  it.each([
    [{ kind: "network" }, true],
    [{ kind: "http" }, true],
    [{ kind: "timeout" }, false],
    [null, false],
  ])("%j says that the service is unreachable: %s", (error, isAway) => {
    expect(isUnreachable(error)).toBe(isAway);
  });
});

describe("a cached query", () => {
  it("is created once, and has one place for metadata", () => {
    const queryClient = new QueryClient();
    const query = cachedQuery(queryClient, ["a"]);
    expect(cachedQuery(queryClient, ["a"])).toBe(query);
    metadataOf(query).isForced = true;
    expect(metadataOf(query)).toEqual({ isForced: true });
    expect(metadataOf(cachedQuery(queryClient, ["b"]))).toEqual({});
  });

  it.each([
    [{ queryRunId: "a" }, { queryRunId: "a" }],
    [{ pages: [{ queryRunId: "a" }, { queryRunId: "b" }] }, { queryRunId: "a" }],
    [{ pages: [] }, { pages: [] }],
    [undefined, undefined],
  ])("of the data %j has the run %j", (data, run) => {
    const query = cachedQuery(new QueryClient(), ["a"]);
    if (data !== undefined) query.setData(data);
    expect(runOf(query)).toEqual(run);
    expect(runOf(undefined)).toBeUndefined();
  });
});
