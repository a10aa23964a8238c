import { createContract } from "../server/document.ts";
import { isObject, type JsonObject } from "../server/json.ts";
import { runsIn } from "../server/schema-walk.ts";
import { readDocumentSync } from "../server/spec.ts";

/**
 * A small query service that is always right: its answers are the examples of the OpenRPC document, runs have ended when they
 * are first polled, and all have the same rows. The basic one has the members of the three basic methods alone.
 */

export interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Characters of one to four bytes, so that a cut between bytes shows. */
export const rows: readonly (readonly unknown[])[] = [
  [1, "plain"],
  [2, "größer"],
  [3, "☃"],
  [4, "😀"],
  [5, '"quoted"\n'],
];

const createMembers = ["sql", "resultTTLHours", "maxAgeMinutes", "tags", "dataSource", "dataProvider"];
const basicMembers: Readonly<Record<string, readonly string[]>> = {
  createQueryRun: createMembers,
  getQueryRun: ["queryRunId"],
  getQueryRunResults: ["queryRunId", "format", "page"],
};

const contract = createContract(readDocumentSync());
const examples = [...contract.methods].map(
  ([name, { examples }]) => [name, examples.map(({ result }) => result)] as const,
);
const exampleRuns = examples.flatMap(([name, results]) =>
  results.flatMap((result) => runsIn(contract, contract.methods.get(name)?.result, result)),
);

/** Tells whether the document lets a method be called again although the first call may have arrived. */
export function isRepeatable(method: string): boolean {
  return contract.methods.get(method)?.repeatable === true;
}

/** First example of a method's result in the document. */
function exampleOf(method: string): JsonObject {
  const [first] = new Map(examples).get(method) ?? [];
  return isObject(first) ? first : {};
}

/** A run as the document's examples show one in this state, or else one in progress. */
export function exampleRun(id: unknown, state: string): JsonObject {
  const inProgress = exampleRuns.find((run) => run.state === "QUERY_STATE_RUNNING");
  const size = state === "QUERY_STATE_SUCCESS" ? { rowCount: rows.length } : {};
  return { ...(exampleRuns.find((run) => run.state === state) ?? inProgress), id, state, ...size };
}

const columnNames = ["n", "text"];

function pageResult({ page, queryRunId, format = "csv" }: WireCall["params"]): JsonObject {
  const { number = 1, size = rows.length } = (page ?? {}) as { number?: number; size?: number }; // The caller's word.
  const some = rows.slice((number - 1) * size, number * size);
  const named = some.map((row) => Object.fromEntries(columnNames.map((name, column) => [name, row[column]])));
  return {
    ...exampleOf("getQueryRunResults"),
    columnNames,
    columnTypes: ["number", "string"],
    columnEngineTypes: ["INTEGER", "VARCHAR"],
    rows: format === "json" ? named : some,
    page: {
      currentPageNumber: number,
      currentPageSize: size,
      totalRows: rows.length,
      totalPages: size === 0 ? 0 : Math.ceil(rows.length / size),
    },
    format,
    originalQueryRun: exampleRun(queryRunId, "QUERY_STATE_SUCCESS"),
  };
}

function resultOf(method: string, params: WireCall["params"], basic: boolean): JsonObject | undefined {
  const { queryRunId, sql } = params;
  const example = exampleOf(method);
  switch (method) {
    case "createQueryRun": {
      const id = `run of ${String(sql)}`;
      if (basic) return { queryRequest: { queryRunId: id } };
      const request = isObject(example.queryRequest) ? example.queryRequest : {};
      const queryRequest = { ...request, id: `request of ${String(sql)}`, queryRunId: id, triggeredQueryRun: true };
      return { ...example, queryRequest, queryRun: exampleRun(id, "QUERY_STATE_READY") };
    }
    case "getQueryRun":
      return { ...example, queryRun: exampleRun(queryRunId, "QUERY_STATE_SUCCESS") };
    case "getQueryRunResults": {
      const { columnNames, rows, ...rest } = pageResult(params);
      return basic ? { columnNames, rows } : { ...rest, columnNames, rows };
    }
    case "cancelQueryRun": {
      const run = exampleRun(queryRunId, "QUERY_STATE_CANCELED");
      return { ...example, queryRun: run, canceledQueryRun: run };
    }
    default:
      return Object.keys(example).length > 0 ? example : undefined;
  }
}

interface Reply {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The right reply to one call. */
export function exampleReply({ id, method, params }: WireCall, basic: boolean): Reply {
  const allowed = basic ? (basicMembers[method] ?? []) : Object.keys(params);
  const result = basic && !(method in basicMembers) ? undefined : resultOf(method, params, basic);
  const unknown = Object.keys(params).find((name) => !allowed.includes(name));
  if (!result) return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  if (unknown === undefined) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32602, message: `Invalid params: ${unknown}` } };
}

/** The right body; a basic service knows no batches. */
export function exampleBody(calls: readonly WireCall[], isBatch: boolean, basic: boolean): string {
  const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } };
  if (isBatch && basic) return JSON.stringify(refusal);
  const replies = calls.map((call) => exampleReply(call, basic));
  return JSON.stringify(isBatch ? replies : replies[0]);
}
