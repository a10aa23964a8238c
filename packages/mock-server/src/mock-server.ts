import { createFetch, type Fetch } from "@quern/json-rpc/fetch";
import { createHandler, type Handler, type RequestHeaders } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import { maxPageBytes as defaultMaxPageBytes } from "@quern/query-run/page";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { createClock, type MockClock } from "./clock.ts";
import { declaredError } from "./declared-error.ts";
import { faultyHandler } from "./faults/faulty-handler.ts";
import { createFaults, type FaultOptions, type FaultyMethod, type PlannedFault } from "./faults/schedule.ts";
import { handlers } from "./handlers/handlers.ts";
import { createNamespace } from "./namespace.ts";
import { type Execute, exampleRows, executed } from "./outcome.ts";
import { firstPoll } from "./run-script.ts";
import { createShake } from "./shake/shake.ts";
import { shakenHandler } from "./shake/shaken-handler.ts";
import { createStubs, type Matcher, type Stub } from "./stub.ts";

export interface MockServerOptions {
  /** The only key that is accepted, any text; one is made if left out. */
  readonly apiKey?: string;
  /** The time the mock lives in; a clock that stands still until it is advanced, if left out. */
  readonly clock?: MockClock;
  /** Gives the rows of statements that no stub answers; what it throws fails the run. Without it they have the rows of the document's example. */
  readonly execute?: Execute;
  /** Bytes of JSON that the rows of one page may have; 30,000,000 if left out. */
  readonly maxPageBytes?: number;
  /** A seed by which everything that the contract leaves open is other than it was: ids, orders, members, states, sizes of pages. */
  readonly shake?: number;
  /** Hears of faults of the mock itself or of `execute`, such as a result that is not valid by the document. */
  readonly onError?: (error: unknown, method: string | undefined) => void;
}

/** A query service in memory: the same life cycle, pages and errors as the service, with the rows a test wants. */
export interface MockServer {
  readonly apiKey: string;
  /** A base URL to give to clients together with `fetch`. Nothing listens there. */
  readonly url: string;
  /** Stands where a `fetch` stands, without a network. */
  readonly fetch: Fetch;
  readonly clock: MockClock;
  /** What the doors are made of; `listen` is one. */
  readonly handler: Handler;
  /** Says what becomes of the statements that match. Of several stubs that match, the last one made answers. */
  when(matcher: Matcher): Stub;
  /** Plans what goes wrong with a call, its answer or its connection: the one door through which the mock breaks the contract. */
  fault(method: FaultyMethod, options: FaultOptions): PlannedFault;
}

export function createMockServer(options: MockServerOptions = {}): MockServer {
  const {
    apiKey = `mock_${crypto.randomUUID()}`,
    clock = createClock(),
    execute = () => exampleRows,
    maxPageBytes = defaultMaxPageBytes,
  } = options;
  const stubs = createStubs();
  const faults = createFaults();
  const shake = options.shake === undefined ? undefined : createShake(options.shake);
  const namespace = createNamespace({
    clock,
    maxPageBytes,
    idOf: (prefix, number) => shake?.id(prefix, number) ?? `${prefix}_${number}`,
    scriptFor: (query) => stubs.planFor(query).script ?? shake?.script(namespace.runs.size) ?? firstPoll,
    outcomeOf: async (query) => stubs.planFor(query).outcome ?? executed(execute, query),
  });

  function authenticate(headers: RequestHeaders) {
    if (headers.get("x-api-key") === apiKey) return namespace;
    throw declaredError("AuthorizationError");
  }

  const { onError = reportError } = options;
  const truthful = createHandler({
    methods: contract,
    handlers,
    authenticate,
    document,
    validateResults: true,
    onError,
  });
  const isOurs = (headers: RequestHeaders) => headers.get("x-api-key") === apiKey;
  const shaken = shakenHandler(truthful, (headers) => (isOurs(headers) ? shake : undefined));
  const handler = faultyHandler(shaken, (headers) => (isOurs(headers) ? { clock, faults } : undefined));
  return {
    apiKey,
    url: "http://mock.quern.invalid",
    fetch: createFetch(handler),
    clock,
    handler,
    when: stubs.when,
    fault: faults.plan,
  };
}

/** A mock is quiet but for its own faults, which a test must see. */
function reportError(error: unknown, method: string | undefined): void {
  console.error(`mock server: ${method ?? "authentication"} could not be answered:`, error);
}
