export { type Adversary, type AdversaryOptions, type Exchange, startAdversary } from "./adversary.ts";
export {
  type AdversaryCase,
  type CaseCall,
  type CaseLevel,
  type ConnectionFault,
  type Ending,
  type Fault,
  levelOf,
} from "./case.ts";
export { slowCases } from "./cases/statuses.ts";
export { adversaryCases } from "./cases.ts";
export { CommandError } from "./command.ts";
export { type CaseResult, formatResults, isAsExpected, type Outcome } from "./report.ts";
export { type CommandOptions, runAdversary, runCommand } from "./run.ts";
export { type ClientUnderTest, type ConnectClient, type Limits, runCase, type Service } from "./run-case.ts";
