/** A small query service that is always right: runs have ended when they are first looked at, and all have the same rows. */

export interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const columnNames = ["n", "text"];

/** Characters of one to four bytes, so that a cut between bytes shows. */
export const rows: readonly (readonly unknown[])[] = [
  [1, "plain"],
  [2, "größer"],
  [3, "☃"],
  [4, "😀"],
  [5, '"quoted"\n'],
];

const createMembers = ["sql", "resultTTLHours", "maxAgeMinutes", "tags", "dataSource", "dataProvider"];
const strictMembers: Readonly<Record<string, readonly string[]>> = {
  createQueryRun: createMembers,
  getQueryRun: ["queryRunId"],
  getQueryRunResults: ["queryRunId", "format", "page"],
};

function run(id: unknown, state: string): object {
  const size = { rowCount: rows.length, totalSize: "100" };
  return { id, state, errorName: null, errorMessage: null, ...(state === "QUERY_STATE_SUCCESS" ? size : {}) };
}

function page({ page, queryRunId }: WireCall["params"]): object {
  const { number = 1, size = rows.length } = (page ?? {}) as { number?: number; size?: number }; // The caller's word.
  return {
    columnNames,
    columnTypes: ["number", "string"],
    rows: rows.slice((number - 1) * size, number * size),
    page: {
      currentPageNumber: number,
      currentPageSize: size,
      totalRows: rows.length,
      totalPages: Math.ceil(rows.length / size),
    },
    originalQueryRun: run(queryRunId, "QUERY_STATE_SUCCESS"),
  };
}

function resultOf(method: string, params: WireCall["params"], strict: boolean): object | undefined {
  const { queryRunId, sql } = params;
  switch (method) {
    case "createQueryRun": {
      const id = `run of ${String(sql)}`;
      if (strict) return { queryRequest: { queryRunId: id } };
      const queryRequest = { id: `request of ${String(sql)}`, queryRunId: id, triggeredQueryRun: true };
      return { queryRequest, queryRun: run(id, "QUERY_STATE_READY") };
    }
    case "getQueryRun":
      return { queryRun: run(queryRunId, "QUERY_STATE_SUCCESS") };
    case "getQueryRunResults": {
      const { columnNames, rows } = page(params) as { columnNames: unknown; rows: unknown }; // Made here.
      return strict ? { columnNames, rows } : page(params);
    }
    case "cancelQueryRun":
      return { queryRun: run(queryRunId, "QUERY_STATE_CANCELED") };
    default:
      return undefined;
  }
}

interface Reply {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The right reply to one call. */
export function truth({ id, method, params }: WireCall, strict: boolean): Reply {
  const allowed = strict ? (strictMembers[method] ?? []) : Object.keys(params);
  const result = strict && !(method in strictMembers) ? undefined : resultOf(method, params, strict);
  const unknown = Object.keys(params).find((name) => !allowed.includes(name));
  if (!result) return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  if (unknown === undefined) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32602, message: `Invalid params: ${unknown}` } };
}

/** The right body; a strict service knows no batches. */
export function truthText(calls: readonly WireCall[], isBatch: boolean, strict: boolean): string {
  const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } };
  if (isBatch && strict) return JSON.stringify(refusal);
  const replies = calls.map((call) => truth(call, strict));
  return JSON.stringify(isBatch ? replies : replies[0]);
}
