import { deepStrictEqual } from "node:assert";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { infiniteResultsOptions, queryResultsOptions } from "@quern/react";
import { createAsyncStoragePersister } from "@tanstack/query-async-storage-persister";
import { createSyncStoragePersister } from "@tanstack/query-sync-storage-persister";
import { QueryClient } from "@tanstack/react-query";
import { persistQueryClientRestore, persistQueryClientSave } from "@tanstack/react-query-persist-client";
import superjson from "superjson";
import { createSender, createSilent, filtered, parsedViews, plainViews, whole } from "./values.mjs";

const requests = { whole, filtered };
/** As in `docs/guides/recipes.md`. */
const defaultOptions = {
  dehydrate: { serializeData: superjson.serialize },
  hydrate: { deserializeData: superjson.deserialize },
};

async function expectKept(createPersister, views, options) {
  const items = new Map();
  const storage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
  const persister = createPersister({ storage, throttleTime: 0 });
  const saved = new QueryClient(options);
  const client = createSender();
  for (const { request } of views) {
    await saved.fetchQuery(queryResultsOptions(client, request));
    await saved.fetchInfiniteQuery(infiniteResultsOptions(client, request));
  }
  await persistQueryClientSave({ queryClient: saved, persister });
  // The persisters write in a timer of their own, and do not tell if they cannot.
  for (let checks = 0; items.size === 0 && checks < 1_000; checks++) await setTimeout(1);

  const restored = new QueryClient(options);
  await persistQueryClientRestore({ queryClient: restored, persister });
  const silent = createSilent();
  for (const { request, rows } of views) {
    deepStrictEqual((await restored.fetchQuery(queryResultsOptions(silent, request))).rows, rows);
    const { pages } = await restored.fetchInfiniteQuery(infiniteResultsOptions(silent, request));
    deepStrictEqual(pages[0].rows, rows);
  }
}

for (const createPersister of [createSyncStoragePersister, createAsyncStoragePersister]) {
  test(`${createPersister.name} keeps rows and parameters, with 0 for -0`, () => {
    const views = plainViews(requests).map(({ request, rows }) => ({
      request,
      rows: rows.map((row) => ({ ...row, few: row.few + 0 })),
    }));
    return expectKept(createPersister, views);
  });

  test(`${createPersister.name} keeps what a schema makes, with the options of the guide`, () =>
    expectKept(createPersister, [...plainViews(requests), ...parsedViews(requests)], { defaultOptions }));
}
