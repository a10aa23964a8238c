import {
  type Client,
  type QuernError,
  type QueryResult,
  type RunOfRows,
  resumeQuery,
  type SharedQuery,
  type StartedQuery,
  shareQuery,
} from "@quern/client";
import { hashKey, type Query, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { RefObject } from "react";
import type { RowsQuery } from "./rows-query.ts";
import type { Turn } from "./turns.ts";

/** Returns the query of a key from the cache. */
export function cachedQuery(queryClient: QueryClient, queryKey: QueryKey): Query {
  return queryClient.getQueryCache().build(queryClient, queryClient.defaultQueryOptions({ queryKey }));
}

/** Returns the run of a whole result, or of the pages of one; data that a program has set may have none. */
export function runOf(query: Query | undefined): Partial<RunOfRows> | undefined {
  const data = query?.state.data as (RunOfRows & { readonly pages?: readonly RunOfRows[] }) | undefined;
  return data?.pages?.[0] ?? data;
}

/**
 * Returns the run that the views of a statement have read last, if another view may read it as well: it is on the page now, or
 * young enough, and has not been invalidated since.
 * @param shown The view that the caller has shown before.
 */
function keptRun(
  queryClient: QueryClient,
  queryKey: QueryKey,
  view: Query,
  shown: Query | undefined,
  maxAgeMs: number,
): string | undefined {
  const kept = queryClient
    .getQueryCache()
    .findAll({ queryKey, predicate: (query) => Boolean(runOf(query)?.queryRunId) })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  const id = runOf(kept[0])?.queryRunId;
  const same = kept.filter((query) => runOf(query)?.queryRunId === id && !query.state.isInvalidated);
  const readAt = same.at(-1)?.state.dataUpdatedAt;
  const isShown = same.some((query) => query !== view && (query === shown || query.isActive()));
  // A refetch of the rows that are shown wants newer ones.
  if (readAt === undefined || ((shown ?? view) === view && runOf(view)?.queryRunId === id)) return undefined;
  return isShown || Date.now() - readAt < maxAgeMs ? id : undefined;
}

/** A query as its hook or factory has it. */
export interface Reading<Row> {
  readonly client: Client;
  readonly request: RowsQuery<Row>;
  readonly statementKey: QueryKey;
  readonly turn: Turn;
  /** Schemas of the statement: their numbers live as long as the query function that has them. */
  readonly schemas?: object | undefined;
  /** The view whose rows the hook shows. */
  readonly shown?: RefObject<Query | undefined>;
}

/** State of a cached query beside TanStack's. */
export interface FetchNotes {
  /** The next fetch runs the statement anew. */
  isForced?: boolean;
  /** The last fetch was canceled while the query was on the page. */
  isCanceled?: boolean;
  /** A run that goes on at the service, and whose end could not be learned. */
  started?: StartedQuery | undefined;
}

/** Tells that the service no longer has the rows of a run: QueryRunResultsExpired or QueryRunNotFound. */
export function isGone(error: unknown): boolean {
  const { code } = error as QuernError; // The client throws nothing else.
  return code === -32172 || code === -32099;
}

/** Tells that no answer came; a run goes on without its caller. */
export function isUnreachable(error: unknown): boolean {
  const kind = (error as QuernError | null)?.kind; // The client throws nothing else.
  return kind === "network" || kind === "http";
}

/** The queries under way in a cache, by the hash of their statement. */
export interface CacheNotes {
  [hash: string]: {
    readonly query: SharedQuery;
    readonly isForced: boolean;
    /** The query whose first page the result has. */
    readonly request: RowsQuery<unknown>;
  };
}

const notes = /*@__PURE__*/ new WeakMap<object, object>();

/** Returns the notes on a cached query or on a cache, at first empty. They go with their owner. */
export function notesOf(owner: Query): FetchNotes;
export function notesOf(owner: QueryClient): CacheNotes;
export function notesOf(owner: object): object {
  const noted = notes.get(owner) ?? {};
  notes.set(owner, noted);
  return noted;
}

interface Context {
  readonly client: QueryClient;
  readonly queryKey: QueryKey;
  readonly signal: AbortSignal;
}

/**
 * Opens the result that a query reads. A view of a run that is kept reads that run. All others share one run of their
 * statement: a new one after `refresh` and `invalidateQueries`, else any that is young enough for `maxAgeMinutes`.
 */
export async function openRun<Row>(
  { client, request, statementKey, turn, shown }: Reading<Row>,
  { client: queryClient, queryKey, signal }: Context,
): Promise<QueryResult> {
  const view = cachedQuery(queryClient, queryKey);
  const noted = notesOf(view);
  const resume = (queryRunId: string) => resumeQuery(client, queryRunId, { ...request, signal });
  noted.isCanceled = false;
  signal.addEventListener("abort", () => {
    noted.isCanceled = view.isActive();
  });

  if (!noted.isForced && !noted.started) {
    const id = keptRun(queryClient, statementKey, view, shown?.current, (request.maxAgeMinutes ?? 0) * 60_000);
    try {
      if (id) return await resume(id);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  const { data, isInvalidated, status } = view.state;
  // TanStack Query marks a query as invalidated after a failed fetch, too.
  const isForced = noted.isForced || (isInvalidated && data !== undefined && status !== "error");
  noted.isForced = false;
  const all = notesOf(queryClient);
  const hash = hashKey(statementKey);
  let shared = all[hash];
  if (!shared || (isForced && !shared.isForced)) {
    const query = shareQuery(client, isForced ? { ...request, maxAgeMinutes: 0 } : request, {
      started: noted.started,
      schedule: turn,
      onChange(isOver) {
        if (isOver && all[hash]?.query === query) delete all[hash];
        // Tells those that follow the progress.
        view.setState({});
      },
    });
    shared = all[hash] = { query, isForced, request };
  }
  try {
    const result = await shared.query.join(signal);
    noted.started = undefined;
    return shared.request === request ? result : await resume(result.queryRunId);
  } catch (error) {
    noted.isForced = isForced && !signal.aborted;
    noted.started = isUnreachable(error) ? shared.query.started : undefined;
    throw error;
  }
}
