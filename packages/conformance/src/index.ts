export type {
  Case,
  Corpus,
  Expectation,
  ExpectedFailures,
  Fixture,
  Level,
  Part,
  ReplyExpectation,
  Request,
  Step,
  Until,
} from "./server/corpus.ts";
export type { CaseResult, Outcome, Report } from "./server/report.ts";
export { formatReport } from "./server/report.ts";
export type { CorpusOptions } from "./server/run.ts";
export { runCorpus } from "./server/run.ts";
export { readCorpora, readDocument, readExpectedFailures } from "./server/spec.ts";
