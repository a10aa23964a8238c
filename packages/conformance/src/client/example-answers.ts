import { createContract } from "../server/document.ts";
import { isObject, type JsonObject } from "../server/json.ts";
import { runsIn } from "../server/schema-walk.ts";
import { readDocumentSync } from "../server/spec.ts";

/**
 * Correct answers of a small query service, made from the examples of the OpenRPC document. Each run has ended at its first
 * poll, and all runs have the same rows. The basic service has the three basic methods without their optional members.
 */

/** Call in the body of a request. */
export interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Rows of every run. Their characters have one to four bytes, so that a client that decodes chunks separately fails. */
export const exampleRows: readonly (readonly unknown[])[] = [
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

/** Returns true if the OpenRPC document allows a client to repeat a method when its first call may have arrived. */
export function isRepeatable(method: string): boolean {
  return contract.methods.get(method)?.repeatable === true;
}

/** Returns the first example of a method's result in the OpenRPC document. */
function exampleOf(method: string): JsonObject {
  const [first] = new Map(examples).get(method) ?? [];
  return isObject(first) ? first : {};
}

/**
 * Returns the OpenRPC document's example of a run in this state, or else one of a run in progress, with this id and
 * state.
 */
export function exampleRun(id: unknown, state: string): JsonObject {
  const inProgress = exampleRuns.find((run) => run.state === "QUERY_STATE_RUNNING");
  const size = state === "QUERY_STATE_SUCCESS" ? { rowCount: exampleRows.length } : {};
  return { ...(exampleRuns.find((run) => run.state === state) ?? inProgress), id, state, ...size };
}

const columnNames = ["n", "text"];

function pageResult({ page, queryRunId, format = "csv" }: WireCall["params"]): JsonObject {
  const { number = 1, size = exampleRows.length } = (page ?? {}) as { number?: number; size?: number }; // Requests of a client under test are assumed to be valid.
  const slice = exampleRows.slice((number - 1) * size, number * size);
  const objects = slice.map((row) => Object.fromEntries(columnNames.map((name, column) => [name, row[column]])));
  return {
    ...exampleOf("getQueryRunResults"),
    columnNames,
    columnTypes: ["number", "string"],
    columnEngineTypes: ["INTEGER", "VARCHAR"],
    rows: format === "json" ? objects : slice,
    page: {
      currentPageNumber: number,
      currentPageSize: size,
      totalRows: exampleRows.length,
      totalPages: size === 0 ? 0 : Math.ceil(exampleRows.length / size),
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

/** Returns the correct response to one call. */
export function exampleReply({ id, method, params }: WireCall, basic: boolean): Reply {
  const allowed = basic ? (basicMembers[method] ?? []) : Object.keys(params);
  const result = basic && !(method in basicMembers) ? undefined : resultOf(method, params, basic);
  const unknown = Object.keys(params).find((name) => !allowed.includes(name));
  if (!result) return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  if (unknown === undefined) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32602, message: `Invalid params: ${unknown}` } };
}

/** Returns the correct body of a response. The basic service refuses batches. */
export function exampleBody(calls: readonly WireCall[], isBatch: boolean, basic: boolean): string {
  const noBatches = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } };
  if (isBatch && basic) return JSON.stringify(noBatches);
  const replies = calls.map((call) => exampleReply(call, basic));
  return JSON.stringify(isBatch ? replies : replies[0]);
}
