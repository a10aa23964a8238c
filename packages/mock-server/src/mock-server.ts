/// <reference lib="esnext.disposable" preserve="true" />
import { createFetch } from "@quern/json-rpc/fetch";
import { createHandler, type Handler, intercepted, type RequestHeaders } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { contractViolationMiddleware } from "./contract-violation/contract-violation.ts";
import { faultMiddleware } from "./faults/middleware.ts";
import { downloadFile } from "./handlers/download-file.ts";
import { handlers } from "./handlers/handlers.ts";
import { uploadFile } from "./handlers/upload-file.ts";
import { historyMiddleware, refusalMiddleware } from "./history/middleware.ts";
import { type LedgerRecorder, ledgerMiddleware } from "./ledger/ledger.ts";
import { memberCheck } from "./member-check.ts";
import { createMockNamespace, type MockNamespace } from "./namespace/mock-namespace.ts";
import type { NamespaceState } from "./namespace/namespace-state.ts";
import { type NamespaceOptions, namespaceMembers } from "./namespace/options.ts";
import { createRegistry, type NamespaceRegistry } from "./namespace/registry.ts";
import { recordingMiddleware } from "./recording/middleware.ts";
import { variationMiddleware } from "./variation/middleware.ts";
import { declaredError } from "./wire/contract-methods.ts";
import { chain, createExchange, type Middleware } from "./wire/exchange.ts";

export interface KeyOption {
  /** API key, any text that is not empty. @default a random key */
  readonly apiKey?: string;
}

/** Options of a mock; those of `NamespaceOptions` are also the defaults of its other namespaces. */
export interface MockServerOptions extends NamespaceOptions, KeyOption {
  /** Creates a namespace for each unknown key at its first use. By default such a key is refused. @default false */
  readonly open?: boolean;
  /** Records the calls of consumers, to verify a real service with them; see `createLedger`. */
  readonly ledger?: LedgerRecorder;
  /**
   * Reports errors of the mock itself, such as a result that breaks the contract.
   * @default console.error
   */
  readonly onError?: (error: unknown, method: string | undefined) => void;
}

/** Namespace that can be ended. */
export interface DisposableNamespace extends MockNamespace {
  /** Cancels the runs, and ends the namespace; its key becomes unknown. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * Query service in memory: it has the life cycle, pages and errors of the service, and the rows of your stubs. It is the namespace of its
 * own key, and creates further namespaces.
 */
export interface MockServer extends MockNamespace {
  /** JSON-RPC handler of all namespaces, which `listen` and `fetch` use. */
  readonly handler: Handler;
  /** All namespaces by their keys, for the administration API. */
  readonly namespaces: NamespaceRegistry;
  /** Ledger of the mock, from its options. */
  readonly ledger: LedgerRecorder | undefined;
  /**
   * Creates a namespace with its own key. It takes microseconds, so each test can have one.
   * @throws RangeError if the key has a namespace. TypeError, RangeError or SyntaxError for an option that is not valid.
   */
  namespace(options?: NamespaceOptions & KeyOption): DisposableNamespace;
}

const checkOptions = memberCheck<MockServerOptions>("createMockServer", {
  ...namespaceMembers,
  apiKey: { type: "string", minLength: 1 },
  open: { type: "boolean" },
  ledger: { type: "object" },
  onError: {},
});

const checkNamespace = memberCheck<NamespaceOptions & KeyOption>("namespace", {
  ...namespaceMembers,
  apiKey: { type: "string", minLength: 1 },
});

/**
 * Creates a mock server.
 * @throws TypeError, RangeError or SyntaxError for an option that is not valid.
 */
export function createMockServer(options: MockServerOptions = {}): MockServer {
  checkOptions(options);
  const { apiKey = newKey(), open = false, onError = reportError, ledger, ...shared } = options;
  const namespaces = createRegistry(open ? shared : undefined);

  function authenticate(headers: RequestHeaders): NamespaceState {
    const namespace = namespaces.forRequest(headers);
    if (namespace === undefined) throw declaredError("AuthorizationError");
    return namespace;
  }

  const service = createHandler({
    methods: contract,
    handlers,
    authenticate,
    document,
    validateResults: true,
    exactNumbers: true,
    onError,
  });
  const middleware: readonly Middleware<NamespaceState>[] = [
    historyMiddleware,
    // The ledger runs inside faults and contract violations, because a real service has neither.
    faultMiddleware,
    contractViolationMiddleware,
    ...(ledger === undefined ? [] : [ledgerMiddleware(ledger)]),
    variationMiddleware,
    refusalMiddleware,
    recordingMiddleware,
  ];
  // The innermost handler authenticates again, because a namespace may end during a delay.
  const answer = chain(middleware, ({ parsed, body, headers, signal }) =>
    service.handle(parsed ?? body, headers, signal),
  );
  const handler = intercepted(service, ({ body, headers, signal }) =>
    answer(createExchange(body, { headers, namespace: namespaces.forRequest(headers), signal })),
  );
  const callsOnly = createFetch(handler);
  const fetch = createFetch(handler, {
    fallback: (request) => downloadFile(request, namespaces) ?? uploadFile(request, namespaces) ?? callsOnly(request),
  });
  return {
    ...createMockNamespace(apiKey, namespaces.create(apiKey, shared), fetch),
    handler,
    namespaces,
    ledger,
    namespace(options = {}) {
      checkNamespace(options);
      const { apiKey = newKey(), ...own } = options;
      const state = namespaces.create(apiKey, { ...shared, ...own });
      const dispose = () => namespaces.dispose(apiKey);
      return { ...createMockNamespace(apiKey, state, fetch), dispose, [Symbol.dispose]: dispose };
    },
  };
}

function newKey(): string {
  return `mock_${crypto.randomUUID()}`;
}

/** Logs an error of the mock itself. */
export function reportError(error: unknown, method: string | undefined): void {
  console.error(`mock server: ${method ?? "a request"} could not be answered:`, error);
}
