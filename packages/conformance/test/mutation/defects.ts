// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source
export const packages = new URL("../../../", import.meta.url);

/** Seeded defect: replaces `from` by `to` in a file. */
export interface Defect {
  readonly name: string;
  /** Path below `packages/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const request = "json-rpc/dist/request.js";
const handler = "json-rpc/dist/handler.js";
const call = "json-rpc/dist/call.js";
const http = "json-rpc/dist/http.js";
const checker = "protocol/dist/checker.js";
const transition = "query-run/dist/transition.js";
const retention = "query-run/dist/retention.js";
const reuse = "query-run/dist/reuse.js";
const page = "query-run/dist/page.js";
const wire = "query-run/dist/wire.js";
const create = "mock-server/src/handlers/create-query-run.ts";
const cancel = "mock-server/src/handlers/cancel-query-run.ts";
const list = "mock-server/src/handlers/list-query-runs.ts";
const results = "mock-server/src/handlers/get-query-run-results.ts";
const lookup = "mock-server/src/handlers/lookup.ts";
const view = "mock-server/src/results/view.ts";

export function defect(file: string, name: string, from: string, to: string): Defect {
  return { name, file, from, to };
}

/** Defects in the sources of a mock. */
export const mockDefects: readonly Defect[] = [
  defect(request, "texts as ids lose their type", "idText = JSON.stringify(id);", "idText = String(Number(id));"),
  defect(request, "large ids are rounded", "Number.isSafeInteger(id) ? String(id) : exactIdText()", "String(id)"),
  defect(
    request,
    "id null is no id",
    'idText = "null";\n    else if (id !== undefined)',
    "idText = undefined;\n    else if (id !== undefined)",
  ),
  defect(
    request,
    "an object is an id",
    'return invalid("null", ["id"], "a string, a number or null", id)',
    "idText = JSON.stringify(id)",
  ),
  defect(request, "any version is taken", 'jsonrpc !== "2.0"', 'jsonrpc === "1.0"'),
  defect(request, "a method that is no text is looked for", 'typeof method !== "string"', "method === undefined"),
  defect(
    request,
    "an empty batch is answered with an empty array",
    "value.length === 0 || value.length",
    "value.length",
  ),
  defect(request, "bytes that are no UTF-8 are replaced", "fatal: true", "fatal: false"),
  defect(handler, "notifications are answered", "if (idText === undefined)\n                return undefined;", ""),
  defect(
    handler,
    "the last member of a batch is lost",
    "arrayText(texts)",
    "arrayText(texts.length > 2 ? texts.slice(0, -1) : texts)",
  ),
  defect(
    handler,
    "a batch of one is answered with an object",
    "arrayText(texts)",
    "(texts.length === 1 ? texts[0] : arrayText(texts))",
  ),
  defect(
    handler,
    "a batch of notifications is answered with an array",
    "texts.length === 0 ? undefined",
    "false ? undefined",
  ),
  defect(handler, "an unknown method is an internal error", "code: MethodNotFound", "code: InternalError"),
  defect(
    handler,
    "inherited names are methods",
    "const found = registered.get(method);",
    "const found = registered.get(method) ?? ({})[method];",
  ),
  defect(
    request,
    "params by name are taken",
    "if (!Array.isArray(params))\n        return fault",
    "if (!Array.isArray(params))\n        return params && Object.keys(params).length ? { value: params } : fault",
  ),
  defect(request, "more params than one are ignored", "params.length > 1 ? fault", "false ? fault"),
  defect(handler, "issues point beside the params", '"/params/0")', '"/params")'),
  defect(
    handler,
    "keys are not asked for",
    "return refused(refusalOf(error, headers), limits);",
    "return admitted(limits, (body, signal = new AbortController().signal) => answerBody(body, { headers, signal }));",
  ),
  defect(
    handler,
    "the last reply of a batch has the id of the first",
    "isRefused ? text : budget.fit(member.idText, text)",
    'isRefused ? text : members.length > 2 && member === members.at(-1) ? encodeError(members[0].idText ?? "null", internalError) : budget.fit(member.idText, text)',
  ),
  defect(call, "a result has an error beside it", ',"result":`', ',"error":null,"result":`'),
  defect(call, "an error has no version", '`{"jsonrpc":"2.0","id":${idText},"error"', '`{"id":${idText},"error"'),
  defect(
    call,
    "the data of errors is lost",
    "data === undefined ? { code, message } : { code, message, data }",
    "{ code, message }",
  ),
  defect(
    http,
    "a refusal has no JSON content type",
    "status, headers)",
    'status, { ...headers, "content-type": "text/html" })',
  ),
  defect(http, "any content type is taken", 'if (!isJson(contentType ?? ""))', "if (false)"),
  defect(http, "GET is taken", 'if (verb !== "POST")', 'if (verb !== "POST" && verb !== "GET")'),
  defect(http, "pages of other origins may not send the key", "x-api-key, authorization", "authorization"),
  defect(checker, "a minimum is exclusive", "value < minimum", "value <= minimum"),
  defect(checker, "a maximum is one too high", "value > maximum", "value > maximum + 1"),
  defect(checker, "unknown members are taken", "additionalProperties === false", "additionalProperties === undefined"),
  defect(
    checker,
    "required members may be missing",
    "for (const name of required)",
    "for (const name of required.slice(1))",
  ),
  defect(checker, "lengths count units for code points", "[...value].length", "value.length"),
  defect(checker, "1.0 is no integer, and 1.5 is", "Number.isInteger(value)", "Number.isFinite(value)"),
  defect(
    transition,
    "a run that is looked at again has another end",
    "queryStreamingEndedAt: at,\n                endedAt: at",
    "queryStreamingEndedAt: at,\n                endedAt: null",
  ),
  defect(
    transition,
    "a canceled run goes on",
    'state: "QUERY_STATE_CANCELED", endedAt: at',
    'state: "QUERY_STATE_READY", endedAt: at',
  ),
  defect(
    transition,
    "a failed run succeeds",
    'state: "QUERY_STATE_FAILED", endedAt: at, failure',
    'state: "QUERY_STATE_SUCCESS", endedAt: at, failure',
  ),
  defect(
    transition,
    "a request for a kept result does not keep it longer",
    "Math.max(run.expiresAt ?? at, Math.ceil(neededUntil / 60_000) * 60_000)",
    "run.expiresAt",
  ),
  defect(retention, "the time to live is ignored", "expiresAt <= now", "expiresAt <= 0"),
  defect(retention, "a result lives a moment too long", "expiresAt <= now", "expiresAt < now - 1000"),
  defect(retention, "hours of 0 are 0", "Math.max(hours, 1)", "hours"),
  defect(reuse, "a stale result is given again", "now - run.endedAt <= maxAgeMinutes * minuteMs", "true"),
  defect(reuse, "no result is ever given again", 'run.state !== "QUERY_STATE_SUCCESS"', "true"),
  defect(reuse, "parameters are no part of what is reused", "normalizedSql(sql), parameters]", "normalizedSql(sql)]"),
  defect(
    reuse,
    "the oldest result is given again",
    "(run.endedAt ?? 0) > (result.endedAt ?? 0)",
    "(run.endedAt ?? 0) < (result.endedAt ?? 0)",
  ),
  defect(reuse, "a run under way is not waited for", "maxAgeMinutes > 0 && !isFinal", "false && !isFinal"),
  defect(page, "pages begin a row late", "(number - 1) * size", "(number - 1) * size + 1"),
  defect(page, "pages overlap", "(number - 1) * size", "(number - 1) * Math.max(0, size - 1)"),
  defect(page, "the last page is not counted", "Math.ceil(totalRows / size)", "Math.floor(totalRows / size)"),
  defect(page, "a page of size 0 counts as one page", "size === 0 ? 0", "size === 0 ? 1"),
  defect(
    wire,
    "times have no milliseconds",
    "new Date(instant).toISOString()",
    'new Date(instant).toISOString().replace(/\\.\\d+/, "").replace("Z", "")',
  ),
  defect(wire, "a total size is a number", "String(result.totalBytes)", "result.totalBytes"),
  defect(wire, "a request names no run", "queryRunId: request.queryRunId", "queryRunId: request.id"),
  defect(
    wire,
    "reuse is said where a run was made",
    "triggeredQueryRun: request.triggeredQueryRun",
    "triggeredQueryRun: true",
  ),
  defect(create, "an idempotency key is forgotten", "if (idempotencyKey !== undefined)", "if (false)"),
  defect(create, "an idempotency key serves other members", "earlier.text === idempotencyText(params)", "true"),
  defect(
    create,
    "tags are lost",
    "const { tags = {}, idempotencyKey } = params;",
    "const { idempotencyKey } = params; const tags = {};",
  ),
  defect(
    cancel,
    "a run that has ended is canceled",
    'state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED"',
    "false",
  ),
  defect(cancel, "one withdrawal cancels for all", "withdrawn.size === requests.size", "true"),
  defect(cancel, "a withdrawal never cancels", "withdrawn.size === requests.size", "false"),
  defect(list, "the oldest run comes first", "found.reverse()", "found"),
  defect(list, "the next page repeats a run", "index < end", "index <= end"),
  defect(list, "any of the tags will do", "Object.entries(tags).every(", "Object.entries(tags).some("),
  defect(list, "states are ignored", "!states.includes(record.state)", "false"),
  defect(
    results,
    "filters are ignored",
    "viewRows({ columns, rows: all }, params)",
    "viewRows({ columns, rows: all }, { sortBy: params.sortBy })",
  ),
  defect(results, "objects have the columns of the wrong cells", "[key, row[at]]", "[key, row[row.length - 1 - at]]"),
  defect(
    lookup,
    "a run that has not ended has no rows",
    "if (result === undefined)",
    "if (result === undefined && !record.endedAt)\n        return { columns: [], rows: [] };\n    if (result === undefined)",
  ),
  defect(create, "a statement is cut", "sql, statementHash }", "sql: sql.slice(0, 10), statementHash }"),
  defect(view, "descending is ascending", "descending ? -1 : 1", "1"),
  defect(
    view,
    "only the first order counts",
    "for (const order of orders) {",
    "for (const order of orders.slice(0, 1)) {",
  ),
  defect(view, "only one condition must hold", "tests.every((passes)", "tests.some((passes)"),
  defect(view, "all conditions of a group must hold", "some.some((passes)", "some.every((passes)"),
  defect(view, "gte is gt", "gte: (order: number) => order >= 0", "gte: (order: number) => order > 0"),
  defect(view, "notIn is in", "!isAmong(row)", "isAmong(row)"),
];
