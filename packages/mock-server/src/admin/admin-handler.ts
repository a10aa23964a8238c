import { createHandler, type Handler } from "@quern/json-rpc/handler";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import { type History, isLike } from "../history/history.ts";
import { type MockServer, reportError } from "../mock-server.ts";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import { adminContract, declaredError, invalidParams, withMember } from "./contract.ts";
import { stubStatement } from "./stub-statement.ts";

/** Creates the handler of the administration API of `spec/mock-admin.json`. It requires no key: any caller that reaches it has full access. */
export function createAdminHandler({ namespaces, namespace: create, ledger }: MockServer): Handler {
  function find(apiKey: string): NamespaceState {
    const namespace = namespaces.find(apiKey);
    if (namespace === undefined) throw declaredError("NamespaceNotFound", { apiKey });
    return namespace;
  }

  const now = ({ clock }: NamespaceState) => ({ now: new Date(clock.now()).toISOString() });

  /** Filters calls. Unlike `history.callsOf` it accepts unknown methods, which match no call. */
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
        const namespace = () => create({ ...options, clock: { ...clock, ...start } });
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
        withMember("method", method, "a method of the service, or *", () => faults.plan(method, options));
        return {};
      },
      advanceClock({ apiKey, by }) {
        const namespace = find(apiKey);
        namespace.clock.advance(by);
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
