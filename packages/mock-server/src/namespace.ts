import type { RequestRecord, StatementRecord } from "@quern/query-run/record";
import type { MockClock } from "./clock.ts";
import type { MockRun } from "./mock-run.ts";
import type { RunScript } from "./run-script.ts";
import type { MockQuery, Outcome } from "./stub.ts";

/** What one API key sees: its own runs, requests and statements, and how its statements end. */
export interface Namespace {
  readonly clock: MockClock;
  /** By id, the oldest first. */
  readonly runs: ReadonlyMap<string, MockRun>;
  /** By id. */
  readonly statements: Map<string, AskedStatement>;
  readonly idempotentRequests: Map<string, IdempotentRequest>;
  /** Bytes of JSON that the rows of one page may have. */
  readonly maxPageBytes: number;
  nextId(prefix: "req" | "run"): string;
  addRun(run: MockRun): void;
  /** Runs that would give the same result, the oldest first. */
  runsAlike(reuseKey: string): readonly MockRun[];
  scriptFor(query: MockQuery): RunScript;
  outcomeOf(query: MockQuery): Promise<Outcome>;
}

/** A statement, and the requests for it, the oldest first. */
interface AskedStatement {
  readonly statement: StatementRecord;
  readonly requests: RequestRecord[];
}

/** A request that was made with an idempotency key. */
interface IdempotentRequest {
  readonly request: RequestRecord;
  /** What equal calls have in common. */
  readonly text: string;
}

/** The user whose key it is, as the document's examples name the first one. */
export const userId = "user_first";

/** Where statements run that name no source. A mock takes any other name, too. */
export const defaultSource = { dataSource: "samples", dataProvider: "quern" };

export function createNamespace(
  options: Pick<Namespace, "clock" | "maxPageBytes" | "scriptFor" | "outcomeOf"> & {
    readonly idOf: (prefix: string, number: number) => string;
  },
): Namespace {
  const counts = { req: 0, run: 0 };
  const runs = new Map<string, MockRun>();
  const alike = new Map<string, MockRun[]>();
  return {
    ...options,
    runs,
    statements: new Map(),
    idempotentRequests: new Map(),
    nextId: (prefix) => options.idOf(prefix, ++counts[prefix]),
    addRun(run) {
      const { id, reuseKey } = run.record;
      runs.set(id, run);
      const others = alike.get(reuseKey);
      if (others === undefined) alike.set(reuseKey, [run]);
      else others.push(run);
    },
    runsAlike: (reuseKey) => alike.get(reuseKey) ?? [],
  };
}
