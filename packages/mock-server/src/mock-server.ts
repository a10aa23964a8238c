/// <reference lib="esnext.disposable" preserve="true" />
import { createFetch } from "@quern/json-rpc/fetch";
import { createHandler, type Handler, type RequestHeaders } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { faultMiddleware } from "./faults/middleware.ts";
import { handlers } from "./handlers/handlers.ts";
import { historyMiddleware, refusalMiddleware } from "./history/middleware.ts";
import { type LedgerKeeper, ledgerMiddleware } from "./ledger/ledger.ts";
import { memberCheck } from "./member-check.ts";
import { createHandle, type MockNamespace } from "./namespace/handle.ts";
import type { Namespace } from "./namespace/namespace.ts";
import { type NamespaceOptions, namespaceMembers } from "./namespace/options.ts";
import { createRegistry, type NamespaceRegistry } from "./namespace/registry.ts";
import { recordingMiddleware } from "./recording/middleware.ts";
import { shakeMiddleware } from "./shake/middleware.ts";
import { unsafeMiddleware } from "./unsafe/middleware.ts";
import { declaredError } from "./wire/declared-error.ts";
import { chain, createExchange, type Middleware } from "./wire/exchange.ts";

export interface KeyOption {
  /** Any text. @default a random key */
  readonly apiKey?: string;
}

/** Options of a mock, and defaults of its namespaces. */
export interface MockServerOptions extends NamespaceOptions, KeyOption {
  /** Gives an unknown key a namespace of its own when it is first used; otherwise it is refused. @default false */
  readonly open?: boolean;
  /** Records what callers use of the service, so that a real one can be verified; see `createLedger`. */
  readonly ledger?: LedgerKeeper;
  /** Called for errors of the mock itself or of `execute`, such as a result that is not valid by the document. */
  readonly onError?: (error: unknown, method: string | undefined) => void;
}

/** Namespace that can be ended. */
export interface DisposableNamespace extends MockNamespace {
  /** Cancels its runs; from then on its key is unknown. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * A query service in memory: the same life cycle, pages and errors as the service, with the rows a test wants. It is itself
 * the namespace of its own key, and mints others.
 */
export interface MockServer extends MockNamespace {
  /** Handler of JSON-RPC for all namespaces; `listen` and `fetch` are made of it. */
  readonly handler: Handler;
  /** Namespaces by their keys, for the API by which other processes script the mock. */
  readonly namespaces: NamespaceRegistry;
  /** Ledger of the mock, if it was made with one. */
  readonly ledger: LedgerKeeper | undefined;
  /** Creates a namespace with a key of its own, which takes microseconds. @throws RangeError where the key is taken. */
  namespace(options?: NamespaceOptions & KeyOption): DisposableNamespace;
}

const checkOptions = memberCheck<MockServerOptions>("createMockServer", {
  ...namespaceMembers,
  apiKey: { type: "string" },
  open: { type: "boolean" },
  ledger: { type: "object" },
  onError: {},
});

const checkNamespace = memberCheck<NamespaceOptions & KeyOption>("namespace", {
  ...namespaceMembers,
  apiKey: { type: "string" },
});

export function createMockServer(options: MockServerOptions = {}): MockServer {
  checkOptions(options);
  const { apiKey = newKey(), open = false, onError = reportError, ledger, ...shared } = options;
  const namespaces = createRegistry(open ? shared : undefined);

  function authenticate(headers: RequestHeaders): Namespace {
    const namespace = namespaces.of(headers);
    if (namespace === undefined) throw declaredError("AuthorizationError");
    return namespace;
  }

  const service = createHandler({
    methods: contract,
    handlers,
    authenticate,
    document,
    validateResults: true,
    onError,
  });
  const middleware: readonly Middleware<Namespace>[] = [
    historyMiddleware,
    // A real service has no faults and nothing unsafe, so that a ledger does not have them either.
    faultMiddleware,
    unsafeMiddleware,
    ...(ledger === undefined ? [] : [ledgerMiddleware(ledger)]),
    shakeMiddleware,
    refusalMiddleware,
    recordingMiddleware,
  ];
  const answer = chain(middleware, ({ parsed, body, headers, signal }) =>
    service.handle(parsed ?? body, headers, signal),
  );
  const handler: Handler = {
    limits: service.limits,
    async handle(body, headers, signal) {
      const namespace = namespaces.of(headers);
      return answer(createExchange(body, { headers, namespace, signal }));
    },
  };
  const fetch = createFetch(handler);
  return {
    ...createHandle(apiKey, namespaces.mint(apiKey, shared), fetch),
    handler,
    namespaces,
    ledger,
    namespace(options = {}) {
      checkNamespace(options);
      const { apiKey = newKey(), ...own } = options;
      const minted = namespaces.mint(apiKey, { ...shared, ...own });
      const dispose = () => namespaces.dispose(apiKey);
      return { ...createHandle(apiKey, minted, fetch), dispose, [Symbol.dispose]: dispose };
    },
  };
}

function newKey(): string {
  return `mock_${crypto.randomUUID()}`;
}

/** A mock is quiet but for its own faults, which a test must see. */
export function reportError(error: unknown, method: string | undefined): void {
  console.error(`mock server: ${method ?? "authentication"} could not be answered:`, error);
}
