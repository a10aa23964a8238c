export {
  type Ledger,
  type LedgerCall,
  LedgerError,
  type LedgerSession,
  type ProviderState,
} from "./ledger/ledger.ts";
export {
  formatVerification,
  type StateChange,
  type Verification,
  type VerifiedCall,
  type VerifiedSession,
  type VerifyOptions,
  verify,
} from "./ledger/verify.ts";
export type { CaseResult, Outcome } from "./server/check.ts";
export { type ConformOptions, conform } from "./server/conform.ts";
export {
  type Case,
  type Corpus,
  type Expectation,
  type ExpectedFailures,
  type Fixture,
  type Level,
  type Part,
  type Profile,
  profiles,
  type ReplyExpectation,
  type Request,
  type Step,
  type Until,
} from "./server/corpus.ts";
export type { CoverageReport, Tally } from "./server/coverage.ts";
export { ApiKeyError, UnreachableError } from "./server/endpoint.ts";
export { junitReport } from "./server/junit.ts";
export { formatReport, type Report } from "./server/report.ts";
export { SelectionError } from "./server/selection.ts";
export { readCorpora, readDocument, readExpectedFailures } from "./server/spec.ts";
