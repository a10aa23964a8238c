/** What somebody could get wrong: a place in a built package, and what would stand there. */
export interface Defect {
  readonly name: string;
  /** The package, and the file below its `dist`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const handler = "json-rpc/handler.js";
const request = "json-rpc/request.js";
const transition = "query-run/transition.js";
const reuse = "query-run/reuse.js";
const wire = "query-run/wire.js";
const page = "query-run/page.js";
const create = "mock-server/handlers/create-query-run.js";
const cancel = "mock-server/handlers/cancel-query-run.js";
const list = "mock-server/handlers/list-query-runs.js";
const results = "mock-server/handlers/get-query-run-results.js";
const view = "mock-server/view.js";

const defect = (name: string, file: string, from: string, to: string): Defect => ({ name, file, from, to });

/** One at a time is put in; the conformance kit finds each of them. */
export const defects: readonly Defect[] = [
  // Envelopes.
  defect(
    "an id of digits comes back as a number",
    request,
    "idText = JSON.stringify(id)",
    "idText = /^\\d+$/.test(id) ? id : JSON.stringify(id)",
  ),
  defect(
    "the id null is taken for no id",
    request,
    'else if (id === null)\n        idText = "null";',
    "else if (id === null)\n        ;",
  ),
  defect("a large id loses its last digits", request, "String(id) : exactIdText()", "String(id) : String(id)"),
  defect(
    "an id that is an object is taken",
    request,
    'return invalid("null", ["id"], "a string, a number or null", id)',
    'idText = "null"',
  ),
  defect("a version is not looked at", request, 'if (jsonrpc !== "2.0")', 'if (jsonrpc === "1.0")'),
  defect(
    "a method that is a number is not found instead of invalid",
    request,
    'if (typeof method !== "string")',
    "if (method === undefined)",
  ),
  defect(
    "an empty batch is answered with an empty batch",
    request,
    "value.length === 0 || value.length > limits.maxBatch",
    "value.length > limits.maxBatch",
  ),
  defect("bytes that are no UTF-8 are replaced", request, "fatal: true", "fatal: false"),
  defect("no JSON is an invalid request", request, "code: ParseError, message", "code: InvalidRequest, message"),
  defect(
    "a notification is answered",
    handler,
    "if (idText === undefined)\n                return undefined;\n            if (typeof result",
    'if (idText === undefined)\n                return encodeResult("null", "null");\n            if (typeof result',
  ),
  defect(
    "the last member of a batch is lost",
    handler,
    "return texts.length === 0 ? undefined : arrayText(texts)",
    "return texts.length === 0 ? undefined : arrayText(texts.length > 2 ? texts.slice(0, -1) : texts)",
  ),
  defect(
    "a batch of one is answered by an object",
    handler,
    "return texts.length === 0 ? undefined : arrayText(texts)",
    "return texts.length === 0 ? undefined : texts.length === 1 ? texts[0] : arrayText(texts)",
  ),
  defect(
    "a batch of notifications is answered by an empty batch",
    handler,
    "return texts.length === 0 ? undefined : arrayText(texts)",
    "return arrayText(texts)",
  ),
  defect(
    "an unknown method has the code of wrong params",
    handler,
    "code: MethodNotFound, message",
    "code: InvalidParams, message",
  ),
  defect("a second param is passed over", handler, "return params.length > 1 ?", "return params.length > 9 ?"),
  defect(
    "params by name are taken by position",
    handler,
    "if (!Array.isArray(params))\n        return fault([]",
    "if (!Array.isArray(params))\n        return { value: params };\n    if (params === undefined)\n        return fault([]",
  ),
  defect("an issue points beside its member", handler, '"/params/0")', '"/params")'),
  defect(
    "errors have no version",
    "json-rpc/reply.js",
    'const { code, message, data } = error;\n    return `{"jsonrpc":"2.0",',
    "const { code, message, data } = error;\n    return `{",
  ),
  defect(
    "errors have a result, too",
    "json-rpc/reply.js",
    '"error":${JSON.stringify(',
    '"result":null,"error":${JSON.stringify(',
  ),
  defect(
    "the data of errors is lost",
    "json-rpc/reply.js",
    "data === undefined ? { code, message } : { code, message, data }",
    "{ code, message }",
  ),
  defect("a wrong key is answered with HTTP 200", handler, "identity.httpStatus ?? 401", "200"),
  defect("any content type is taken", "json-rpc/http.js", 'if (!isJson(contentType ?? ""))', "if (false)"),
  defect("GET is not told what to use", "json-rpc/http.js", "{ allow: verbs });", "{});"),
  defect(
    "browsers may not send their key",
    "json-rpc/http.js",
    '"x-api-key, authorization, content-type"',
    '"content-type"',
  ),
  defect("a path with two slashes is not found", "json-rpc/http.js", '["/json-rpc", "//json-rpc"]', '["/json-rpc"]'),
  // The life of a run.
  defect(
    "a success has no end",
    transition,
    "queryStreamingEndedAt: at,\n                endedAt: at,",
    "queryStreamingEndedAt: at,",
  ),
  defect(
    "a canceled run has no end",
    transition,
    '{ state: "QUERY_STATE_CANCELED", endedAt: at }',
    '{ state: "QUERY_STATE_CANCELED" }',
  ),
  defect("a run starts before it was created", transition, "startedAt: at };", "startedAt: at - 60_000 };"),
  defect(
    "no result is reused",
    reuse,
    "return !isExpired(run, now) && now - run.endedAt <= maxAgeMinutes * minuteMs;",
    "return false;",
  ),
  defect(
    "runs of other parameters are reused",
    create,
    "parameters: parameters ?? null,\n    });\n}\nfunction existingRun",
    "parameters: null,\n    });\n}\nfunction existingRun",
  ),
  defect(
    "a reused run is said to be new",
    create,
    "triggeredQueryRun: existing === undefined",
    "triggeredQueryRun: true",
  ),
  defect("an idempotency key makes a run each time", create, "if (earlier === undefined ||", "if (true ||"),
  defect(
    "an idempotency key holds for other members",
    create,
    "if (earlier.text === idempotencyText(params))",
    "if (true)",
  ),
  defect(
    "a retention above the maximum is kept",
    "query-run/retention.js",
    "Math.min(Math.max(hours, 1), maxResultTTLHours)",
    "Math.max(hours, 1)",
  ),
  defect(
    "a retention of no hours is kept",
    "query-run/retention.js",
    "Math.min(Math.max(hours, 1), maxResultTTLHours)",
    "Math.min(hours, maxResultTTLHours)",
  ),
  defect(
    "an age above the maximum is kept",
    "query-run/retention.js",
    "Math.min(minutes, maxMaxAgeMinutes)",
    "minutes",
  ),
  defect(
    "timestamps have no milliseconds",
    wire,
    "return new Date(instant).toISOString();",
    'return new Date(instant).toISOString().replace(/\\.\\d+/, "");',
  ),
  defect("the size of a result is a number", wire, "String(result.totalBytes)", "result.totalBytes"),
  defect("a member of a run is left out", wire, "        dataSourceSessionId: null,\n", ""),
  defect(
    "a page starts one row late",
    page,
    "const offset = Math.min((number - 1) * size, totalRows);",
    "const offset = Math.min((number - 1) * size + 1, totalRows);",
  ),
  defect("the last page is not counted", page, "Math.ceil(totalRows / size)", "Math.floor(totalRows / size)"),
  defect(
    "a page has the size of its rows",
    page,
    "currentPageSize: size,",
    "currentPageSize: Math.min(size, Math.max(0, totalRows - offset)),",
  ),
  defect(
    "a cancel names the run once",
    cancel,
    "return { canceledQueryRun: queryRun, queryRun };",
    "return { queryRun };",
  ),
  defect("one request withdraws for all", cancel, "return withdrawn.size === requests.size;", "return true;"),
  defect(
    "an ended run is canceled without a word",
    cancel,
    'if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED")',
    "if (false)",
  ),
  defect("a list begins with the oldest", list, "found.reverse()", "found"),
  defect("a list goes on with the run it ended with", list, "place < before", "place <= before"),
  defect("a list has one run more than its limit", list, ".slice(0, limit)", ".slice(0, limit + 1)"),
  defect(
    "a list passes over the states asked for",
    list,
    "if (states !== undefined && !states.includes(record.state))",
    "if (false)",
  ),
  defect("rows of the form json are arrays", results, 'format === "csv" ? arrays : objectsOf(names, arrays)', "arrays"),
  defect("an unknown form is taken", results, "if (!supported.includes(format))", "if (false)"),
  defect("a filter holds where it does not", view, "gte: (order) => order >= 0", "gte: (order) => order > 0"),
  defect("descending is ascending", view, 'direction === "asc" ? 1 : -1', "1"),
  defect(
    "a column that is not there sorts nothing",
    view,
    'throw declaredError("InvalidSortColumn"',
    'return { at: 0, kind: "number" };\n    throw declaredError("InvalidSortColumn"',
  ),
];
