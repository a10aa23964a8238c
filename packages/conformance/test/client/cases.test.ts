import { describe, expect, it, test } from "vitest";
import { type AdversaryCase, alternativesOf, levelOf } from "../../src/client/case.ts";
import { slowCases } from "../../src/client/cases/statuses.ts";
import { adversaryCases } from "../../src/client/cases.ts";

const cases = [...adversaryCases, ...slowCases];
const named = (name: string) => cases.filter((one) => one.name === name)[0];
const callsOf = ({ calls, sequence, query }: AdversaryCase) => calls ?? sequence ?? [query];
const endingsOf = ({ endings }: AdversaryCase) => endings.flatMap(alternativesOf);
const bodiesOf = ({ faults }: AdversaryCase) => faults.flatMap(({ body, raw }) => body ?? raw ?? []);
const methods = ["createQueryRun", "getQueryRun", "getQueryRunResults", "cancelQueryRun"];

/** Returns the names of the cases for which a condition does not hold. */
const exceptions = (holds: (one: AdversaryCase) => boolean, of: readonly AdversaryCase[] = cases) =>
  of.filter((one) => !holds(one)).map(({ name }) => name);

/** Returns the texts that occur more than once. */
const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) < index);

describe("each case", () => {
  it("has a name and a fault of its own", () => {
    expect(repeated(cases.map(({ name }) => name))).toEqual([]);
    expect(exceptions(({ name }) => /\w/.test(name))).toEqual([]);
    expect(repeated(cases.map(({ name: _, endings: __, ...given }) => JSON.stringify(given)))).toEqual([]);
  });

  it("has an ending for each call, in the words of endings", () => {
    const words =
      /^(right|protocol|network|timeout|aborted|failed|canceled|rpc|wrong: null|http( \d{3})?|(rpc|undeclared) -?\d+)$/;
    expect(exceptions((one) => one.endings.length === callsOf(one).length)).toEqual([]);
    expect(exceptions((one) => endingsOf(one).every((end) => words.test(end)))).toEqual([]);
  });

  it("ends with the status or the code that its fault has", () => {
    const has = (one: AdversaryCase, end: string) => {
      const [kind, number] = end.split(" ");
      if (number === undefined || kind === "wrong:") return true;
      if (kind === "http") return one.faults.some(({ status }) => status === Number(number));
      return bodiesOf(one).some((body) => body.includes(`"code":${number}`) || body.includes(`"code":"${number}"`));
    };
    expect(exceptions((one) => endingsOf(one).every((end) => has(one, end)))).toEqual([]);
    const statusOf = ({ name }: AdversaryCase) => / HTTP (\d+)/.exec(` ${name}`)?.[1];
    expect(
      exceptions((one) => statusOf(one) === undefined || (one.faults.at(-1)?.status ?? 200) === Number(statusOf(one))),
    ).toEqual([]);
  });

  it("that ends by a timeout or an abort has a short deadline or an abort", () => {
    expect(exceptions((one) => endingsOf(one).includes("aborted") === (one.abort ?? false))).toEqual([]);
    const timed = cases.filter((one) => endingsOf(one).includes("timeout"));
    expect([...new Set(timed.map(({ timeoutMs }) => timeoutMs))].toSorted()).toEqual([1000, 150, 60]);
    expect(timed.filter(({ timeoutMs }) => timeoutMs === 1000).map(({ name }) => name.slice(0, 25))).toEqual(
      Array.from({ length: 3 }, () => "HTTP 429 with Retry-After"),
    );
  });

  it("that is named so has its fault in every response", () => {
    const isNamed = ({ name }: AdversaryCase) => /every|any poll|endless|never ends/.test(name);
    expect(exceptions(({ faults }) => faults.every(({ times }) => times === "ever"), cases.filter(isNamed))).toEqual(
      [],
    );
    const numbers = cases.flatMap(({ faults }) =>
      faults.flatMap(({ times }) => (times === "ever" ? [] : (times ?? []))),
    );
    expect(numbers).toEqual([3, 12, 12, 12]);
  });

  it("keeps its members and those of its faults", () => {
    const counted = (members: readonly string[]) =>
      Object.entries(Object.groupBy(members, String))
        .map(([member, of]) => `${member} ${of?.length}`)
        .toSorted()
        .join(", ");
    const present = (one: object) => Object.entries(one).flatMap(([name, value]) => (value === undefined ? [] : name));
    const faults = cases.flatMap((one) => one.faults);
    expect(counted(cases.flatMap(present))).toBe(
      "abort 8, calls 138, endings 220, faults 220, level 9, maxSends 144, minWaitMs 2, mustSend 8, name 220, query 76, " +
        "sequence 6, service 3, timeoutMs 16",
    );
    expect(counted(faults.flatMap(present))).toBe(
      "batch 21, body 156, connection 40, delayMs 4, headers 23, on 80, param 2, raw 11, status 50, times 71",
    );
    expect(counted(faults.flatMap(({ connection }) => connection ?? []))).toBe(
      "byte-by-byte 3, close 3, close-after-body 1, close-mid-body 6, hang 11, reset 8, reset-mid-body 4, " +
        "stall-mid-body 2, stall-mid-headers 1, trickle 1",
    );
    expect(faults.filter(({ body }) => body === "").length).toBe(19);
    const headers = faults.flatMap((fault) => Object.entries(fault.headers ?? {}));
    expect(headers.filter(([, value]) => value === "")).toEqual([]);
  });

  it("calls and awaits methods of the contract alone", () => {
    const used = cases.flatMap((one) => [
      ...[...(one.calls ?? []), ...(one.sequence ?? [])].map(({ method }) => method),
      ...one.faults.flatMap(({ on }) => on ?? []),
      ...Object.keys(one.maxSends ?? {}),
      ...(one.mustSend ?? []),
    ]);
    expect([...new Set(used)].toSorted()).toEqual(methods.toSorted());
  });

  it("of a statement sends it once, or again if it was refused", () => {
    const queries = cases.filter(({ query }) => query !== undefined);
    expect(exceptions(({ query }) => query?.sql === "select 1", queries)).toEqual([]);
    expect(exceptions(({ query }) => [undefined, 2].includes(query?.pageSize), queries)).toEqual([]);
    expect(queries.filter(({ maxSends }) => maxSends?.createQueryRun !== 1).map(({ name }) => name)).toEqual([
      "query on a server with three methods",
      "pages of a server with three methods",
      "create of a query answered with HTTP 503 and Retry-After",
      "create at the limit of runs",
      "create at the limit of runs without data",
      "create beyond the rate limit",
    ]);
    expect(exceptions(({ maxSends }) => [1, 2, 3].includes(maxSends?.createQueryRun ?? 0), queries)).toEqual([]);
  });

  it("that a call is not repeated in has one call at most", () => {
    const single = cases.filter(({ query, maxSends }) => query === undefined && maxSends !== undefined);
    expect(single.length).toBe(68);
    const bounds = new Set(single.map(({ maxSends }) => JSON.stringify(maxSends)));
    expect([...bounds].toSorted()).toEqual([
      '{"createQueryRun":1,"getQueryRun":1}',
      '{"createQueryRun":1}',
      '{"getQueryRun":2}',
    ]);
  });
});

describe("the body of a fault", () => {
  const filled = (body: string) =>
    JSON.parse(body.replaceAll(/\{(all|id|result)?\d*\}/g, (whole) => (whole === "{}" ? whole : "1")).trim());
  const sent = cases.filter(({ faults: [fault] }) => fault?.body !== undefined && (fault.status ?? 200) === 200);

  it("is a JSON-RPC error of the call if the ending is its code", () => {
    const coded = sent.filter(
      (one) => one.calls?.length === 1 && endingsOf(one).every((end) => /^\w+ -?\d+$/.test(end)),
    );
    expect(coded.length).toBeGreaterThan(10);
    expect(
      exceptions((one) => {
        const { jsonrpc, id, error, ...others } = filled(bodiesOf(one)[0] ?? "");
        return jsonrpc === "2.0" && [1, null].includes(id) && error && Object.keys(others).length === 0;
      }, coded),
    ).toEqual([]);
  });

  it("is a run in the named state", () => {
    const stateOf = (name: string) =>
      filled(bodiesOf(named(name) ?? { name, faults: [], endings: [] })[0] ?? "").result;
    expect(stateOf("failed run")).toMatchObject({
      queryRun: { state: "QUERY_STATE_FAILED", errorName: "X", errorMessage: "no table" },
      redirectedToQueryRun: null,
    });
    expect(stateOf("failed run without a reason").queryRun).toMatchObject({ errorName: null, errorMessage: null });
    expect(stateOf("failed run with a malformed reason").queryRun).toMatchObject({
      errorName: 7,
      errorMessage: { a: [] },
    });
    expect(stateOf("canceled run").queryRun.state).toBe("QUERY_STATE_CANCELED");
    expect(stateOf("run that never ends").queryRun.state).toBe("QUERY_STATE_RUNNING");
    expect(stateOf("run without a state").queryRun).toMatchObject({ rowCount: 3 });
    expect(stateOf("run without a state").queryRun).not.toHaveProperty("state");
  });

  it("has all rows, with the malformed member beside them", () => {
    const resultOf = (name: string) =>
      filled(bodiesOf(named(name) ?? { name, faults: [], endings: [] }).at(-1) ?? "").result;
    expect(resultOf("negative total")).toEqual({
      rows: [
        [1, "plain"],
        [2, "größer"],
        [3, "☃"],
        [4, "😀"],
        [5, '"quoted"\n'],
      ],
      columnNames: ["n", "text"],
      columnTypes: ["number", "string"],
      page: { currentPageSize: 10_000, totalRows: -1 },
    });
    expect(resultOf("second page without rows")).toEqual({
      columnNames: ["n", "text"],
      columnTypes: ["number", "string"],
      rows: [],
      page: { currentPageNumber: 1, currentPageSize: 2, totalRows: 5 },
    });
  });
});

test("a case that a client can recover from should be, and others must be right", () => {
  expect(levelOf({ name: "a", faults: [{}], endings: ["right", "right or timeout"] })).toBe("should");
  expect(levelOf({ name: "a", faults: [{}], endings: ["right", "timeout"] })).toBe("must");
  expect(levelOf({ name: "a", faults: [], endings: ["right"] })).toBe("must");
  expect(levelOf({ name: "a", faults: [], endings: ["right"], level: "should" })).toBe("should");
  expect(cases.filter(({ level }) => level === "must").map(({ name }) => name)).toEqual([
    "whitespace around the response",
    "batch in another order",
    "batch byte by byte",
    "body byte by byte",
    "delayed response",
    "connection: close every time",
    "page byte by byte",
  ]);
  expect(cases.filter(({ level }) => level === "should").map(({ name }) => name)).toEqual([
    "query on a server with three methods",
    "pages of a server with three methods",
  ]);
});

test("runs that the caller gives up are canceled", () => {
  expect(cases.filter(({ mustSend }) => mustSend?.includes("cancelQueryRun")).map(({ name }) => name)).toEqual([
    "create answered after the caller aborts",
    "create without a response when the caller aborts",
    "cancel by idempotency key refused",
    "no response to any poll",
    "run that never ends",
    "abort during a poll",
    "cancel answered with HTML",
    "cancel reset mid-body",
  ]);
});

test("a wait of a second is reported by its time", () => {
  expect(slowCases.map(({ minWaitMs }) => minWaitMs)).toEqual([900, 900]);
  expect(cases.filter(({ minWaitMs }) => minWaitMs !== undefined).length).toBe(2);
  expect(named("HTTP 429 with Retry-After as a date in two seconds")?.faults).toEqual([
    { status: 429, body: "", headers: { "retry-after": "{soon}" } },
  ]);
});
