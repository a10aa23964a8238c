import type { ContractCase } from "./contract-case.ts";
import type { SourceKindContext } from "./source-kind/context.ts";
import { endingCases } from "./source-kind/ending.ts";
import { inspectionCases } from "./source-kind/inspection.ts";
import { resultCases } from "./source-kind/result.ts";

/** Cases for the behaviour of a source kind that the service relies on. */
export const sourceKindContract: readonly ContractCase<SourceKindContext>[] = [
  ...resultCases,
  ...endingCases,
  ...inspectionCases,
];
