import { createHandler, type Handler } from "@quern/json-rpc/handler";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import { type History, isLike } from "../history/history.ts";
import { type MockServer, reportError } from "../mock-server.ts";
import type { Namespace } from "../namespace/namespace.ts";
import { adminContract, declaredError, invalidParams, usable } from "./contract.ts";
import { stubStatement } from "./stub-statement.ts";

/** Scripts a mock by JSON-RPC, as `spec/mock-admin.json` says. It asks for no key: whoever reaches it may do all. */
export function createAdminHandler({ namespaces, namespace: mint, ledger }: MockServer): Handler {
  function found(apiKey: string): Namespace {
    const namespace = namespaces.find(apiKey);
    if (namespace === undefined) throw declaredError("NamespaceNotFound", { apiKey });
    return namespace;
  }

  const now = ({ clock }: Namespace) => ({ now: new Date(clock.now()).toISOString() });

  /** A filter of another language may name a method that does not exist, which no call is of. */
  const callsLike = (
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
        const namespace = () => mint({ ...options, clock: { ...clock, ...start } });
        return { apiKey: usable("replay", options.replay, "a recording", namespace).apiKey };
      },
      disposeNamespace({ apiKey }) {
        found(apiKey);
        namespaces.dispose(apiKey);
        return {};
      },
      resetNamespace({ apiKey }) {
        found(apiKey).reset();
        return {};
      },
      stubStatement(params) {
        return { stubId: stubStatement(found(params.apiKey), params) };
      },
      listNamespaces: () => ({ apiKeys: namespaces.keys() }),
      listStubs: ({ apiKey }) => ({ stubs: found(apiKey).stubs.list() }),
      deleteStub({ apiKey, stubId }) {
        if (!found(apiKey).stubs.delete(stubId)) throw declaredError("StubNotFound", { stubId });
        return {};
      },
      planFault({ apiKey, method, ...options }) {
        const { faults } = found(apiKey);
        usable("method", method, "a method of the service, or *", () => faults.plan(method, options));
        return {};
      },
      advanceClock({ apiKey, by }) {
        const namespace = found(apiKey);
        namespace.clock.advance(by);
        return now(namespace);
      },
      setClock({ apiKey, to }) {
        const namespace = found(apiKey);
        const by = Date.parse(to) - namespace.clock.now();
        const expected = `a time from ${now(namespace).now} on`;
        if (by < 0) throw invalidParams([{ pointer: "/to", expected, received: to }]);
        namespace.clock.advance(by);
        return now(namespace);
      },
      getHistory({ apiKey, limit = Number.POSITIVE_INFINITY, ...filter }) {
        const { history, faults, stubs } = found(apiKey);
        const matching = callsLike(history, filter);
        const calls = matching
          .slice(Math.max(0, matching.length - limit))
          .map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() }));
        const notes = { unexpected: history.unexpected(), unsafe: history.unsafe() };
        return { calls, ...notes, unmetFaults: faults.unmet(), unusedStubs: stubs.unused() };
      },
      countCalls: ({ apiKey, ...filter }) => ({ count: callsLike(found(apiKey).history, filter).length }),
      getRecording({ apiKey }) {
        const { recorder } = found(apiKey);
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
