/// <reference lib="esnext.disposable" preserve="true" />
import type { adminContract } from "./admin/contract.ts";
import type { FaultOptions, FaultyMethod } from "./faults/schedule.ts";
import type { StubDefinition } from "./stubs/definition.ts";
import type { Duration } from "./time/duration.ts";

type AdminMethod = keyof typeof adminContract;
type Served<Method extends AdminMethod> = NonNullable<
  (typeof adminContract)[Method]["params"]["~standard"]["types"]
>["input"];
type Answered<Method extends AdminMethod> = NonNullable<
  (typeof adminContract)[Method]["result"]["~standard"]["types"]
>["input"];

export type RemoteNamespaceOptions = Served<"createNamespace">;

export type RemoteHistory = Answered<"getHistory">;

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly reason?: string };
}

/** A refusal of the mock, with the code and data of `spec/mock-admin.json`. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: Refusal) {
    super(data?.reason === undefined ? message : `${message}: ${data.reason}`);
    this.code = code;
    this.data = data;
  }
}

/** A namespace of a mock server in another process. `createClient` and `mswHandlers` take it as they take a mock. */
export interface RemoteNamespace extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  /** Stubs statements, and returns the id of the stub. */
  when(match: StubDefinition["match"], outcome: Omit<StubDefinition, "match">): Promise<string>;
  fault(method: FaultyMethod, fault: FaultOptions): Promise<void>;
  /** Moves the clock forward, and returns its time as ISO 8601. */
  advance(by: Duration): Promise<string>;
  /** Returns the calls of a method, or all, the oldest first. */
  calls(method?: string): Promise<RemoteHistory["calls"]>;
  /** Returns all calls, and the problems that `settle` throws. */
  history(): Promise<RemoteHistory>;
  /** Forgets stubs, faults, runs and calls. */
  reset(): Promise<void>;
  /**
   * Ends the namespace, and warns of stubs that matched no statement. The end of a block with `await using` calls it, too.
   * @throws Error for statements without a stub, invalid calls, and planned faults that met no call.
   */
  settle(): Promise<void>;
}

/**
 * Creates a namespace of a mock server that runs in another process, as `quern mock` does.
 * @param url The base URL of the mock server.
 * @param options As for `createNamespace` of the administration; it is strict by default.
 * @throws AdminError for options that the mock refuses; TypeError for a URL that is none; Error where no mock server answers.
 */
export async function remoteNamespace(url: string, options: RemoteNamespaceOptions = {}): Promise<RemoteNamespace> {
  if (!URL.canParse(url)) {
    const expected = "expected the address of a mock server such as http://127.0.0.1:8090";
    throw new TypeError(`remoteNamespace: invalid url: ${expected}, got ${url ?? "nothing"}`);
  }
  const base = url.replace(/\/+$/, "");

  async function call<Method extends AdminMethod>(method: Method, params: Served<Method>): Promise<Answered<Method>> {
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
    // A service, and a mock server at another path, answer 404 in JSON.
    if (response.status === 404 || !text.startsWith("{"))
      throw new Error(`${base} is not a mock server: HTTP ${response.status}: ${text}`);
    const { error, result } = JSON.parse(text);
    if (error !== undefined) throw new AdminError(error);
    return result;
  }

  const { apiKey } = await call("createNamespace", { strict: true, ...options });
  const history = () => call("getHistory", { apiKey });

  async function settle(): Promise<void> {
    const { unexpected, unmetFaults, unusedStubs, unsafe } = await call("getHistory", { apiKey, limit: 0 });
    await call("disposeNamespace", { apiKey });
    for (const stub of unusedStubs) console.warn(`unused stub: ${stub}; remove it, or correct its matcher`);
    const problems = [...unexpected, ...unmetFaults];
    if (problems.length === 0) return;
    const lines = [...problems, ...unsafe.map((text) => `unsafe answer to ${text}`)].join("\n  ");
    throw new Error(`the mock server met what the test does not provide for:\n  ${lines}`);
  }

  return {
    url: base,
    apiKey,
    // A test may replace the global one later.
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
    settle,
    [Symbol.asyncDispose]: settle,
  };
}
