export type { Fault, FaultError, Misreply, Travel } from "./faults/fault.ts";
export type { FaultCase, FaultCaseOptions } from "./faults/for-each-fault.ts";
export { forEachFault } from "./faults/for-each-fault.ts";
export type { FaultOptions, FaultyMethod, PlannedFault } from "./faults/schedule.ts";
export type { History, ParamsMatch, RecordedCall } from "./history/history.ts";
export type {
  Ledger,
  LedgerCall,
  LedgerKeeper,
  LedgerSession,
  ProviderState,
  SessionNames,
} from "./ledger/ledger.ts";
export { createLedger } from "./ledger/ledger.ts";
export type { DisposableNamespace, KeyOption, MockServer, MockServerOptions } from "./mock-server.ts";
export { createMockServer } from "./mock-server.ts";
export type { MockNamespace } from "./namespaces/mock-namespace.ts";
export type { NamespaceOptions } from "./namespaces/namespace.ts";
export type { RecordedService } from "./recording/forwarding-handler.ts";
export type { Recorder } from "./recording/recorder.ts";
export { createRecorder } from "./recording/recorder.ts";
export type { RecordedAnswer, Recording } from "./recording/recording.ts";
export type { ColumnSpec, Rows, Table } from "./results/result-set.ts";
export type { Execute } from "./runs/outcome.ts";
export type { MatchDefinition, StubDefinition } from "./stubs/definition.ts";
export type { Matcher, MockQuery, StatementMatch } from "./stubs/matcher.ts";
export type { Failure } from "./stubs/plan.ts";
export type { Answer, ScenarioStep, Stub } from "./stubs/stub.ts";
export type { ClockOptions, MockClock } from "./time/clock.ts";
export type { Duration } from "./time/duration.ts";
export type { Change, UnsafeMethod } from "./unsafe/untruth.ts";
