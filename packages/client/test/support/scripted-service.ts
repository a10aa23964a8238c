import { type Client, createClient } from "../../src/index.ts";
import {
  type Answer,
  type Exchange,
  each,
  error,
  type ScriptedServer,
  startServer,
  type WireCall,
} from "./scripted-server.ts";

export interface ServiceOptions {
  /** Members that a create and a poll accept; others are -32602. @default all members */
  readonly knows?: readonly string[];
  /** Supports only the three methods of the interface, with no member beyond it. */
  readonly strict?: boolean;
  /** Number of polls after which a run has ended. */
  readonly polls?: number;
  readonly end?: Readonly<Record<string, unknown>>;
  readonly columnNames?: readonly string[];
  readonly rows?: readonly unknown[];
  readonly totalSize?: string;
  /** Member `results` of the answer to a create. */
  readonly results?: unknown;
  readonly echoesKeys?: boolean;
  /** Maximum number of rows in a page; above it -32170. */
  readonly maxPageSize?: number;
  /** Returns at most this number of rows in a page; if strict, without reporting its page size. */
  readonly cutsAt?: number;
  /** Number of creates that are answered with -32171 first. */
  readonly busy?: number;
}

/** Answers of a small query service, for `startServer`. Runs end after a number of polls; the SQL text is their id. */
export function service(options: ServiceOptions = {}): (exchange: Exchange) => Answer {
  const { polls = 2, columnNames = ["n"], rows = [[1], [2], [3]], strict = false } = options;
  const end = {
    state: "QUERY_STATE_SUCCESS",
    errorMessage: null,
    totalSize: options.totalSize ?? null,
    ...options.end,
  };
  const seen = new Map<string, number>();
  let busy = options.busy ?? 0;

  function refusal(params: Record<string, unknown>, allowed: readonly string[]) {
    const known = strict ? allowed : options.knows && [...allowed, ...options.knows];
    const unknown = Object.keys(params).filter((name) => known && !known.includes(name));
    return (
      unknown.length > 0 &&
      error(-32602, "Invalid params", { issues: unknown.map((name) => ({ pointer: `/params/0/${name}` })) })
    );
  }

  function create(params: Record<string, unknown>) {
    const { sql, idempotencyKey } = params;
    busy -= 1;
    if (busy >= 0) return error(-32171, "Too many unfinished query runs");
    if (strict) return { result: { queryRequest: { queryRunId: sql } } };
    const key = options.echoesKeys ? { idempotencyKey } : {};
    return {
      result: {
        queryRequest: { id: `request of ${sql}`, queryRunId: sql, triggeredQueryRun: true, ...key },
        queryRun: { id: sql, state: polls === 0 ? end.state : "QUERY_STATE_READY", ...(polls === 0 && end) },
        results: options.results,
      },
    };
  }

  function look(id: string) {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return {
      result: {
        queryRun: count >= polls ? { id, ...end } : { id, state: count > 1 ? "QUERY_STATE_RUNNING" : "SOMETHING_NEW" },
      },
    };
  }

  function page(params: Record<string, unknown>) {
    const asked = params.page as { number: number; size: number }; // Our own client's request.
    const { number } = asked;
    const size = Math.min(asked.size, options.cutsAt ?? Infinity);
    if (size > (options.maxPageSize ?? Infinity)) {
      return error(-32170, "The requested page is too large", { maxPageSize: options.maxPageSize });
    }
    const part = rows.slice((number - 1) * size, number * size);
    const totals = { currentPageNumber: number, currentPageSize: size, totalRows: rows.length };
    return {
      result: {
        columnNames,
        columnTypes: columnNames.map(() => "number"),
        rows: part,
        ...(strict ? {} : { page: totals }),
      },
    };
  }

  return each(({ method, params: [params] }: WireCall) => {
    const id = String(params.queryRunId);
    if (method === "createQueryRun") {
      const allowed = ["sql", "resultTTLHours", "maxAgeMinutes", "tags", "dataSource", "dataProvider"];
      return refusal(params, allowed) || create(params);
    }
    if (method === "getQueryRun") return refusal(params, ["queryRunId"]) || look(id);
    if (method === "getQueryRunResults") return refusal(params, ["queryRunId", "format", "page"]) || page(params);
    if (method === "cancelQueryRun" && !strict)
      return refusal(params, ["queryRunId"]) || { result: { queryRun: { id } } };
    return error(-32601, "Method not found");
  });
}

/** Returns the names of the methods of each exchange, e.g. `["createQueryRun", "getQueryRun getQueryRun"]`. */
export function methodsOf(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.map(({ calls }) => calls.map(({ method }) => method).join(" "));
}

/** Returns the params of each call of a method, in order. */
export function paramsOf(exchanges: readonly Exchange[], method: string): readonly Readonly<Record<string, unknown>>[] {
  const calls = exchanges.flatMap((exchange) => exchange.calls.filter((call) => call.method === method));
  return calls.map(({ params }) => params[0]);
}

/** Starts a service on loopback, and creates a client of it. */
export async function startService(
  options: ServiceOptions = {},
): Promise<ScriptedServer & { readonly client: Client }> {
  const server = await startServer(service(options));
  return Object.assign(server, { client: createClient({ url: server.url, apiKey: "k" }) });
}
