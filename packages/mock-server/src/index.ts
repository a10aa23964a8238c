export type { StatementMethod } from "./contract-violation/contract-violation.ts";
export type { ConnectionFault, Fault, ReplyDefect } from "./faults/fault.ts";
export type { FaultOptions, FaultyMethod, PlannedFault } from "./faults/schedule.ts";
export type { FaultCase, FaultCaseOptions } from "./fixtures/for-each-fault.ts";
export { forEachFault } from "./fixtures/for-each-fault.ts";
export type { History, ParamsMatch, RecordedCall } from "./history/history.ts";
export type {
  Ledger,
  LedgerCall,
  LedgerRecorder,
  LedgerSession,
  ProviderState,
  SessionNames,
} from "./ledger/ledger.ts";
export { createLedger } from "./ledger/ledger.ts";
export type { DisposableNamespace, KeyOption, MockServer, MockServerOptions } from "./mock-server.ts";
export { createMockServer } from "./mock-server.ts";
export type { MockNamespace } from "./namespace/mock-namespace.ts";
export type { NamespaceOptions } from "./namespace/options.ts";
export type { RecordedService, Recorder } from "./recording/recorder.ts";
export { createRecorder } from "./recording/recorder.ts";
export type { RecordedAnswer, Recording } from "./recording/recording.ts";
export type { ColumnSpec, Rows, Table } from "./results/result-set.ts";
export type { Execute } from "./runs/execute.ts";
export type { Failure } from "./runs/plan.ts";
export type { MockQuery } from "./statement/query.ts";
export type { MatchDefinition, StubDefinition } from "./stubs/definition.ts";
export type { Matcher, StatementMatch } from "./stubs/matcher.ts";
export type { Answer, ScenarioStep, Stub } from "./stubs/stub.ts";
export type { ClockOptions, MockClock } from "./time/clock.ts";
export type { Duration } from "./time/duration.ts";
export type { FaultError, ResultOverride } from "./wire/reply.ts";
