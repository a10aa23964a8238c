export { type Adversary, type AdversaryOptions, type Exchange, startAdversary } from "./adversary.ts";
export type { AdversaryCase, CallAsk, Ending, Fault, Travel } from "./case.ts";
export { patientCases } from "./cases/statuses.ts";
export { adversaryCases } from "./cases.ts";
export { type ClientUnderTest, type ConnectClient, type Limits, playCase, type Service } from "./play.ts";
export { type CaseResult, formatResults, isAsExpected, type Outcome } from "./report.ts";
export { type CommandOptions, runAdversary, runCommand } from "./run.ts";
