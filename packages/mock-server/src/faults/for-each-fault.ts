import { createMockServer, type MockServer, type MockServerOptions } from "../mock-server.ts";
import { methodsWith, traitsOf } from "../wire/method-traits.ts";
import { namedFaults } from "./named-faults.ts";
import type { FaultyMethod, PlannedFault } from "./schedule.ts";

/** One fault that meets the first call of one method. */
export interface FaultCase {
  /** The method and the fault: `getQueryRunResults: an empty body`. */
  readonly name: string;
  /** The fault as it is planned, which tells whether it was met. */
  readonly planned: PlannedFault;
  /** Whether a client that does its best gets the right result nevertheless. Otherwise it says what is wrong, before its deadline. */
  readonly recoverable: boolean;
  /** A mock of its own in which the fault is planned. */
  readonly mock: MockServer;
}

export interface FaultCaseOptions extends MockServerOptions {
  /** Whose first call goes wrong; the three that a query is made of if left out. */
  readonly methods?: readonly Exclude<FaultyMethod, "*">[];
}

/** Those that start a run, poll it and read its pages. */
const queryMethods = methodsWith(({ canceler, final, pages }) => canceler ?? final ?? pages);

/** `rpc.discover`, which is no method of the contract, only reads. */
function isRepeatable(method: string): boolean {
  return method === "rpc.discover" || traitsOf(method).repeatable !== undefined;
}

/** Calls `test` once for each fault that a method's first call can meet: `forEachFault(({ name, mock }) => it(name, …))`. */
export function forEachFault(test: (one: FaultCase) => void, options: FaultCaseOptions = {}): void {
  const { methods = queryMethods, ...ofMock } = options;
  for (const method of methods) {
    for (const { name, fault, remedy, methods: possible } of namedFaults) {
      if (possible?.includes(method) === false) continue;
      const mock = createMockServer({ clock: { ticking: true }, ...ofMock });
      const planned = mock.fault(method, fault);
      const recoverable = remedy === "any call" || (remedy === "reads" && isRepeatable(method));
      test({ name: `${method}: ${name}`, planned, recoverable, mock });
    }
  }
}
