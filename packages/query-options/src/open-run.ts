import {
  type Client,
  type QuernError,
  type QueryResult,
  type ResultOrigin,
  resumeQuery,
  type SharedQuery,
  type StartedQuery,
  shareQuery,
} from "@quern/client";
import { hashKey, type Query, type QueryClient, type QueryKey } from "@tanstack/query-core";
import { type Current, type Enqueue, immediately } from "./panel-queue.ts";
import { statementKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";

/** Returns the query of a key from the cache; creates it if it is missing. */
export function cachedQuery(queryClient: QueryClient, queryKey: QueryKey): Query {
  return queryClient.getQueryCache().build(queryClient, queryClient.defaultQueryOptions({ queryKey }));
}

/** Returns the run of a whole result, or of its first page. Data that a program has set may have no run. */
export function runOf(query: Query | undefined): Partial<ResultOrigin> | undefined {
  const data = query?.state.data as (ResultOrigin & { readonly pages?: readonly ResultOrigin[] }) | undefined;
  return data?.pages?.[0] ?? data;
}

/**
 * Returns the id of the run that the views of a statement have read last, if another view may read it too: its rows are
 * on the page, or are younger than `maxAgeMs`, and a view that has read it has not been invalidated since. Undefined if
 * there is no such run.
 * @param shown View that the component has shown before.
 */
function reusableRunId(
  queryClient: QueryClient,
  queryKey: QueryKey,
  view: Query,
  shown: Query | undefined,
  maxAgeMs: number,
): string | undefined {
  const views = queryClient
    .getQueryCache()
    .findAll({ queryKey, predicate: (query) => Boolean(runOf(query)?.queryRunId) })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  const id = runOf(views[0])?.queryRunId;
  const same = views.filter((query) => runOf(query)?.queryRunId === id && !query.state.isInvalidated);
  const readAt = same.at(-1)?.state.dataUpdatedAt;
  const isShown = same.some((query) => query !== view && (query === shown || query.isActive()));
  // A refetch of the view that is shown asks for newer rows than those of its own run.
  if (readAt === undefined || ((shown ?? view) === view && runOf(view)?.queryRunId === id)) return undefined;
  return isShown || Date.now() - readAt < maxAgeMs ? id : undefined;
}

/** Input of a fetch, from a hook or an options factory. */
export interface ReadInput<Row> {
  readonly client: Client;
  readonly request: RowsQuery<Row>;
  readonly statementKey: QueryKey;
  readonly enqueue: Enqueue;
  /** View whose rows the component shows. */
  readonly shown?: Current<Query | undefined>;
}

/** Returns the input of the fetches of a query. By default they start at once. */
export function readInput<Row>(
  client: Client,
  request: RowsQuery<Row>,
  enqueue: Enqueue = immediately,
): ReadInput<Row> {
  return { client, request, enqueue, statementKey: statementKey(client, request) };
}

/** Metadata of a cached query beside TanStack Query's own state. */
export interface FetchMetadata {
  /** The next fetch runs the statement anew. */
  isForced?: boolean;
  /** The last fetch was canceled while a component showed the query. */
  isCanceled?: boolean;
  /** Run whose rows the fetch reads. */
  queryRunId?: string | undefined;
  /** Run whose end is unknown because the service was unreachable; the next fetch resumes it. */
  started?: StartedQuery | undefined;
  /** Schema that was first used with the key, in development. */
  schema?: object | undefined;
  hasWarned?: boolean;
}

/** Variables that bundlers replace. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Warns in development, once for a cached query, if its key has been used with another schema. */
export function checkSchema<Row>(view: Query, { sql, schema }: RowsQuery<Row>): void {
  if (process.env.NODE_ENV === "production") return;
  const metadata = metadataOf(view);
  metadata.schema ??= schema;
  if (metadata.schema === schema || metadata.hasWarned) return;
  metadata.hasWarned = true;
  console.warn(
    `Unstable schema of the query ${JSON.stringify(sql)}: its key has been used with another schema, which may have parsed the rows; create the schema once, outside components, and tell schemas of one statement apart by schemaKey`,
  );
}

/** Tells whether the service no longer has the rows of a run: QueryRunResultsExpired or QueryRunNotFound. */
export function isResultGone(error: unknown): boolean {
  const { code } = error as QuernError; // The client throws nothing else.
  return code === -32172 || code === -32099;
}

/** Tells whether a call failed with a network error or an HTTP status. The run may continue on the service. */
export function isUnreachable(error: unknown): boolean {
  const kind = (error as QuernError | null)?.kind; // The client throws nothing else.
  return kind === "network" || kind === "http";
}

/** Unfinished queries of a cache, by the hash of their statement key. */
export interface SharedQueries {
  [hash: string]: {
    readonly query: SharedQuery;
    readonly isForced: boolean;
    /** Query whose first page the result holds. */
    readonly request: RowsQuery<unknown>;
  };
}

const metadata = /*@__PURE__*/ new WeakMap<object, object>();

/** Returns the metadata of a cached query or of a cache, empty at first. It is garbage collected with its owner. */
export function metadataOf(owner: Query): FetchMetadata;
export function metadataOf(owner: QueryClient): SharedQueries;
export function metadataOf(owner: object): object {
  const known = metadata.get(owner) ?? {};
  metadata.set(owner, known);
  return known;
}

interface Context {
  readonly client: QueryClient;
  readonly queryKey: QueryKey;
  readonly signal: AbortSignal;
}

/**
 * Opens the result that a query reads. It resumes the run of another view where {@link reusableRunId} finds one. All
 * other views of a statement share one call that creates a run: after `refresh` and `invalidateQueries` the service
 * executes the statement anew, else it may return any run that is younger than `maxAgeMinutes`.
 */
export async function openRun<Row>(
  { client, request, statementKey, enqueue, shown }: ReadInput<Row>,
  { client: queryClient, queryKey, signal }: Context,
): Promise<QueryResult> {
  const view = cachedQuery(queryClient, queryKey);
  checkSchema(view, request);
  const fetchMetadata = metadataOf(view);
  const resume = (queryRunId: string) => {
    fetchMetadata.queryRunId = queryRunId;
    return resumeQuery(client, queryRunId, { ...request, signal });
  };
  fetchMetadata.isCanceled = false;
  fetchMetadata.queryRunId = undefined;
  signal.addEventListener("abort", () => {
    fetchMetadata.isCanceled = view.isActive();
  });

  if (!fetchMetadata.isForced && !fetchMetadata.started) {
    const id = reusableRunId(queryClient, statementKey, view, shown?.current, (request.maxAgeMinutes ?? 0) * 60_000);
    try {
      if (id) return await resume(id);
    } catch (error) {
      // The result has expired meanwhile: the statement runs anew.
      if (!isResultGone(error)) throw error;
    }
  }

  const { data, isInvalidated, status } = view.state;
  // TanStack Query marks a query as invalidated after a failed fetch, too.
  const isForced = fetchMetadata.isForced || (isInvalidated && data !== undefined && status !== "error");
  fetchMetadata.isForced = false;
  const queries = metadataOf(queryClient);
  const hash = hashKey(statementKey);
  let shared = queries[hash];
  if (!shared || (isForced && !shared.isForced)) {
    const query = shareQuery(client, isForced ? { ...request, maxAgeMinutes: 0 } : request, {
      started: fetchMetadata.started,
      schedule: enqueue,
      onChange(isOver) {
        if (isOver && queries[hash]?.query === query) delete queries[hash];
        // Notifies the components that read the phase.
        view.setState({});
      },
    });
    shared = queries[hash] = { query, isForced, request };
  }
  try {
    const result = await shared.query.join(signal);
    fetchMetadata.started = undefined;
    fetchMetadata.queryRunId = result.queryRunId;
    // If another view has started the shared query, the result has the first page of that view, so the run is opened
    // again.
    return shared.request === request ? result : await resume(result.queryRunId);
  } catch (error) {
    fetchMetadata.isForced = isForced && !signal.aborted;
    fetchMetadata.started = isUnreachable(error) ? shared.query.started : undefined;
    throw error;
  }
}
