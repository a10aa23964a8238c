/// <reference lib="esnext.disposable" preserve="true" />
import { createFetch } from "@quern/json-rpc/fetch";
import { createHandler, type Handler, type RequestHeaders } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { faultyHandler } from "./faults/faulty-handler.ts";
import { handlers } from "./handlers/handlers.ts";
import { recordingHandler } from "./history/recording-handler.ts";
import { refusingHandler } from "./history/refusals.ts";
import { keepingHandler, type LedgerKeeper } from "./ledger/ledger.ts";
import { memberCheck } from "./member-check.ts";
import { type MockNamespace, mockNamespace } from "./namespaces/mock-namespace.ts";
import { type Namespace, type NamespaceOptions, namespaceMembers } from "./namespaces/namespace.ts";
import { createNamespaces, type Namespaces } from "./namespaces/namespaces.ts";
import { forwardingHandler } from "./recording/forwarding-handler.ts";
import { reportError } from "./report-error.ts";
import { shakenHandler } from "./shake/shaken-handler.ts";
import { unsafeHandler } from "./unsafe/unsafe-handler.ts";
import { declaredError } from "./wire/declared-error.ts";

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
  readonly namespaces: Namespaces;
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
  const namespaces = createNamespaces(open ? shared : undefined);

  function authenticate(headers: RequestHeaders): Namespace {
    const namespace = namespaces.of(headers);
    if (namespace === undefined) throw declaredError("AuthorizationError");
    return namespace;
  }

  const truthful = createHandler({
    methods: contract,
    handlers,
    authenticate,
    document,
    validateResults: true,
    onError,
  });
  const forwarding = forwardingHandler(truthful, (headers) => namespaces.of(headers)?.recorder);
  const refusing = refusingHandler(forwarding, (headers) => namespaces.of(headers)?.history);
  const shaken = shakenHandler(refusing, (headers) => namespaces.of(headers)?.shake);
  // Faults, and what is unsafe, are none of what a real service does.
  const kept = ledger === undefined ? shaken : keepingHandler(shaken, ledger);
  const unsafe = unsafeHandler(kept, namespaces.of);
  const handler = recordingHandler(faultyHandler(unsafe, namespaces.of), namespaces.of);
  const fetch = createFetch(handler);
  return {
    ...mockNamespace(apiKey, namespaces.mint(apiKey, shared), fetch),
    handler,
    namespaces,
    ledger,
    namespace(options = {}) {
      checkNamespace(options);
      const { apiKey = newKey(), ...own } = options;
      const minted = namespaces.mint(apiKey, { ...shared, ...own });
      const dispose = () => namespaces.dispose(apiKey);
      return { ...mockNamespace(apiKey, minted, fetch), dispose, [Symbol.dispose]: dispose };
    },
  };
}

function newKey(): string {
  return `mock_${crypto.randomUUID()}`;
}
