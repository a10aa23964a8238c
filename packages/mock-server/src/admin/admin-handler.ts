import { createHandler, type Handler } from "@quern/json-rpc/handler";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import { type CheckedMember, faultMember } from "../faults/schedule.ts";
import { type History, isLike } from "../history/history.ts";
import { type MockServer, reportError } from "../mock-server.ts";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import { defineStub, type StubDefinition } from "../stubs/definition.ts";
import { createStubList } from "../stubs/stub-list.ts";
import { createClock } from "../time/clock.ts";
import { adminContract, declaredError, invalidParams, type StubStatementParams, withMember } from "./contract.ts";

/** Creates the handler of the administration API of `spec/mock-admin.json`. It requires no key: any caller that reaches it has full access. */
export function createAdminHandler({ namespaces, namespace: create, ledger }: MockServer): Handler {
  function find(apiKey: string): NamespaceState {
    const namespace = namespaces.find(apiKey);
    if (namespace === undefined) throw declaredError("NamespaceNotFound", { apiKey });
    return namespace;
  }

  const now = ({ clock }: NamespaceState) => ({ now: new Date(clock.now()).toISOString() });

  /** Filters calls. Unlike `history.callsOf` it accepts unknown methods and params. */
  const filteredCalls = (
    history: History,
    { method, params = {} }: { readonly method?: string; readonly params?: object },
  ) =>
    history.calls.filter(
      (call) => (method === undefined || call.method === method) && isLike(call.params ?? {}, params),
    );

  return createHandler({
    methods: adminContract,
    authenticate: () => undefined,
    document,
    validateResults: true,
    onError: reportError,
    handlers: {
      createNamespace({ clock: { startAt, ...clock } = {}, ...options }) {
        const { apiKey } = options;
        if (apiKey !== undefined && namespaces.has(apiKey)) throw declaredError("NamespaceExists", { apiKey });
        const start = startAt === undefined ? {} : { startAt: Date.parse(startAt) };
        const clockOptions = { ...clock, ...start };
        withMember("clock", clock, "only one of `auto` and `ticking`", () => createClock(clockOptions));
        const namespace = () => create({ ...options, clock: clockOptions });
        return { apiKey: withMember("replay", options.replay, "a recording", namespace).apiKey };
      },
      disposeNamespace({ apiKey }) {
        find(apiKey);
        namespaces.dispose(apiKey);
        return {};
      },
      resetNamespace({ apiKey }) {
        find(apiKey).reset();
        return {};
      },
      stubStatement(params) {
        return { stubId: stubStatement(find(params.apiKey), params) };
      },
      listNamespaces: () => ({ apiKeys: namespaces.keys() }),
      listStubs: ({ apiKey }) => ({ stubs: find(apiKey).stubs.list() }),
      deleteStub({ apiKey, stubId }) {
        if (!find(apiKey).stubs.delete(stubId)) throw declaredError("StubNotFound", { stubId });
        return {};
      },
      planFault({ apiKey, method, ...options }) {
        const { faults } = find(apiKey);
        const params = { method, ...options };
        faults.plan(method, options, (member, check) => {
          if (member === null) withMember(null, params, faultMember, check);
          else withMember(member, params[member], faultExpectations[member], check);
        });
        return {};
      },
      advanceClock({ apiKey, by }) {
        const namespace = find(apiKey);
        withMember("by", by, "a duration to a time within the range of dates", () => namespace.clock.advance(by));
        return now(namespace);
      },
      setClock({ apiKey, to }) {
        const namespace = find(apiKey);
        const by = Date.parse(to) - namespace.clock.now();
        const expected = `a time at or after ${now(namespace).now}`;
        if (by < 0) throw invalidParams([{ pointer: "/to", expected, received: to }]);
        namespace.clock.advance(by);
        return now(namespace);
      },
      getHistory({ apiKey, limit = Number.POSITIVE_INFINITY, ...filter }) {
        const { history, faults, stubs } = find(apiKey);
        const matching = filteredCalls(history, filter);
        const calls = matching
          .slice(Math.max(0, matching.length - limit))
          .map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() }));
        const notes = { unexpected: history.unexpected(), contractViolations: history.contractViolations() };
        return { calls, ...notes, unusedFaults: faults.unused(), unusedStubs: stubs.unused() };
      },
      countCalls: ({ apiKey, ...filter }) => ({ count: filteredCalls(find(apiKey).history, filter).length }),
      getRecording({ apiKey }) {
        const { recorder } = find(apiKey);
        if (recorder === undefined) throw declaredError("NotRecorded", { apiKey });
        return recorder.recording();
      },
      getLedger() {
        if (ledger === undefined) throw declaredError("NotRecorded");
        return ledger.ledger();
      },
    },
  });
}

/** Description of the valid values of each member, for the error about a member that a fault refuses. */
const faultExpectations: Readonly<Record<CheckedMember, string>> = {
  method: "a method of the service, or *",
  on: "a whole number from 1",
  times: 'a whole number from 1, or "ever"',
  delay: "a duration",
  status: "a whole number from 200 to 599",
  headers: "names and values that HTTP allows",
};

/** Description of the valid values of each member, for the error about a member that a stub refuses. */
const expectations: Readonly<Record<keyof StubDefinition, string>> = {
  match: "SQL, or conditions on the statement",
  rows: "rows that fit their columns",
  fails: "a failure that the service can return",
  after: "a duration",
  afterPolls: "a whole number from 1",
  times: "a whole number from 1",
  dataSourceQueryId: "a string that is not empty",
  sequence: "an array of at least one answer, such as { rows } or { fails }",
  scenario: "an object with a name, and optionally requiredState and newState",
  violateContract: "an object with a method of the service and the members to replace in its results",
};

/** Creates a stub, and returns its id. @throws MethodError InvalidParams for a definition that is not valid */
function stubStatement({ stubs }: NamespaceState, { apiKey: _, ...definition }: StubStatementParams): string {
  refuseConflicts(definition);
  checkPattern(definition);
  const apply = <T>(member: keyof StubDefinition, work: () => T): T =>
    withMember(member, definition[member], expectations[member], work);
  // The first list is temporary, so that a refused definition adds no stub to the namespace.
  defineStub(createStubList().when, definition, apply);
  defineStub(stubs.when, definition, apply);
  return stubs.lastId;
}

function refuseConflicts({ match, rows, fails, after, afterPolls, sequence }: StubDefinition): void {
  const { sql = undefined, pattern = undefined } = typeof match === "string" ? {} : match;
  if (sql !== undefined && pattern !== undefined) throw conflict("match/pattern", "sql");
  if (rows !== undefined && fails !== undefined) throw conflict("fails", "rows");
  if (after !== undefined && afterPolls !== undefined) throw conflict("afterPolls", "after");
  if (sequence === undefined) return;
  if (rows !== undefined) throw conflict("sequence", "rows");
  if (fails !== undefined) throw conflict("sequence", "fails");
}

function checkPattern({ match }: StubDefinition): void {
  const { pattern = "" } = typeof match === "string" ? {} : match;
  try {
    new RegExp(pattern);
  } catch (error) {
    const expected = "a regular expression of ECMAScript";
    const issue = { pointer: "/match/pattern", expected, received: JSON.stringify(pattern) };
    throw invalidParams([issue], error instanceof Error ? error.message : String(error));
  }
}

function conflict(member: string, other: string): Error {
  const expected = `only one of \`${other}\` and \`${member.replace(/^.*\//, "")}\``;
  return invalidParams([{ pointer: `/${member}`, expected, received: "both" }]);
}
