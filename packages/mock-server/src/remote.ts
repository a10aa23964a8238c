/// <reference lib="esnext.disposable" preserve="true" />
import type { adminContract } from "./admin/contract.ts";
import type { FaultOptions, FaultyMethod } from "./faults/schedule.ts";
import type { StubDefinition } from "./stubs/definition.ts";
import type { Duration } from "./time/duration.ts";

type AdminMethod = keyof typeof adminContract;
type ParamsOf<Method extends AdminMethod> = NonNullable<
  (typeof adminContract)[Method]["params"]["~standard"]["types"]
>["input"];
type ResultOf<Method extends AdminMethod> = NonNullable<
  (typeof adminContract)[Method]["result"]["~standard"]["types"]
>["input"];

export type RemoteNamespaceOptions = ParamsOf<"createNamespace">;

export type RemoteHistory = ResultOf<"getHistory">;

interface AdminErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly reason?: string };
}

/** Error of the administration API, with the code and data of `spec/mock-admin.json`. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: AdminErrorObject) {
    super(data?.reason === undefined ? message : `${message}: ${data.reason}`);
    this.code = code;
    this.data = data;
  }
}

/** Namespace of a mock server in another process. `createClient` and `mswHandlers` accept it in place of a mock. */
export interface RemoteNamespace extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  /** Stubs the statements that match. Resolves with the id of the stub. */
  when(match: StubDefinition["match"], outcome: Omit<StubDefinition, "match">): Promise<string>;
  /** Plans a fault of a call, its answer or its connection. */
  fault(method: FaultyMethod, fault: FaultOptions): Promise<void>;
  /** Moves the clock forward. Resolves with its time as ISO 8601. */
  advance(by: Duration): Promise<string>;
  /** Returns the calls of a method, the oldest first. @default the calls of all methods */
  calls(method?: string): Promise<RemoteHistory["calls"]>;
  /** Returns all calls, and the problems that `finish` reports. */
  history(): Promise<RemoteHistory>;
  /** Forgets stubs, faults, runs and calls. Stubs that the mock server gives each namespace start anew. */
  reset(): Promise<void>;
  /**
   * Asserts that the mock saw no problem, and ends the namespace. Warns of stubs that answered no statement. A variable
   * declared with `await using` calls it at the end of the block.
   * @throws Error for unexpected calls, such as statements without a stub, and for faults that were applied to no call.
   */
  finish(): Promise<void>;
}

/**
 * Creates a namespace of a mock server in another process, such as `quern mock`.
 * @param url Base URL of the mock server.
 * @param options Options of `createNamespace` of the administration API; `strict` is true by default.
 * @throws AdminError for options that the mock refuses. TypeError for an invalid URL. Error if no mock server answers.
 */
export async function remoteNamespace(url: string, options: RemoteNamespaceOptions = {}): Promise<RemoteNamespace> {
  if (!URL.canParse(url)) {
    const expected = "expected the address of a mock server such as http://127.0.0.1:8090";
    throw new TypeError(`remoteNamespace: invalid url: ${expected}, got ${url ?? "nothing"}`);
  }
  const base = url.replace(/\/+$/, "");

  async function call<Method extends AdminMethod>(method: Method, params: ParamsOf<Method>): Promise<ResultOf<Method>> {
    const response = await globalThis
      .fetch(`${base}/admin/json-rpc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] }),
      })
      .catch((cause: unknown) => {
        throw new Error(`no mock server answers at ${base}; start one with \`quern mock\``, { cause });
      });
    const text = await response.text();
    // A real service, or a mock server at another path, answers 404 with JSON.
    if (response.status === 404 || !text.startsWith("{"))
      throw new Error(`${base} does not answer as a mock server; check the URL: HTTP ${response.status}: ${text}`);
    const { error, result } = JSON.parse(text);
    if (error !== undefined) throw new AdminError(error);
    return result;
  }

  const { apiKey } = await call("createNamespace", { strict: true, ...options });
  const history = () => call("getHistory", { apiKey });

  async function finish(): Promise<void> {
    const { unexpected, unusedFaults, unusedStubs, contractViolations } = await call("getHistory", {
      apiKey,
      limit: 0,
    });
    await call("disposeNamespace", { apiKey });
    for (const stub of unusedStubs) console.warn(`unused stub: ${stub}; remove it, or correct its matcher`);
    const problems = [...unexpected, ...unusedFaults];
    if (problems.length === 0) return;
    const violations = contractViolations.map((text) => `contract violation in the answer to ${text}`);
    const lines = [...problems, ...violations].join("\n  ");
    throw new Error(`the mock server reports unexpected calls or unused faults:\n  ${lines}`);
  }

  return {
    url: base,
    apiKey,
    // Read at each call, because a test may replace the global function later.
    fetch: (input, init) => globalThis.fetch(input, init),
    when: async (match, outcome) => (await call("stubStatement", { ...outcome, match, apiKey })).stubId,
    async fault(method, fault) {
      await call("planFault", { ...fault, method, apiKey });
    },
    advance: async (by) => (await call("advanceClock", { apiKey, by })).now,
    calls: async (method) => (await call("getHistory", { apiKey, ...(method !== undefined && { method }) })).calls,
    history,
    async reset() {
      await call("resetNamespace", { apiKey });
    },
    finish,
    [Symbol.asyncDispose]: finish,
  };
}
