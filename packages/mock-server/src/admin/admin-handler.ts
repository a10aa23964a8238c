import { createHandler, type Handler } from "@quern/json-rpc/handler";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import type { MockServer } from "../mock-server.ts";
import type { Namespace } from "../namespaces/namespace.ts";
import { reportError } from "../report-error.ts";
import { adminContract, declaredError, invalidParams } from "./contract.ts";
import { stubStatement } from "./stub-statement.ts";
import { usable } from "./usable.ts";

/** Scripts a mock by JSON-RPC, as `spec/mock-admin.json` says. It asks for no key: whoever reaches it may do all. */
export function createAdminHandler({ namespaces, namespace: mint }: MockServer): Handler {
  function found(apiKey: string): Namespace {
    const namespace = namespaces.find(apiKey);
    if (namespace === undefined) throw declaredError("NamespaceNotFound", { apiKey });
    return namespace;
  }

  const now = ({ clock }: Namespace) => ({ now: new Date(clock.now()).toISOString() });

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
        return { apiKey: mint({ ...options, clock: { ...clock, ...start } }).apiKey };
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
        stubStatement(found(params.apiKey), params);
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
      getHistory({ apiKey }) {
        const { history, faults } = found(apiKey);
        const calls = history.calls.map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() }));
        return { calls, unexpected: history.unexpected(), unsafe: history.unsafe(), unmetFaults: faults.unmet() };
      },
    },
  });
}
