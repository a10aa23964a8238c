export { type Adversary, type AdversaryOptions, type Exchange, startAdversary } from "./adversary.ts";
export {
  type AdversaryCase,
  type CallAsk,
  type CaseLevel,
  type Ending,
  type Fault,
  levelOf,
  type Travel,
} from "./case.ts";
export { patientCases } from "./cases/statuses.ts";
export { adversaryCases } from "./cases.ts";
export { CommandError } from "./command.ts";
export { type ClientUnderTest, type ConnectClient, type Limits, playCase, type Service } from "./play.ts";
export { type CaseResult, formatResults, isAsExpected, type Outcome } from "./report.ts";
export { type CommandOptions, runAdversary, runCommand } from "./run.ts";
