export type { ContractCase } from "./contract/contract-case.ts";
export { sourceKindContract } from "./contract/source-kind.ts";
export type { Sample, SourceKindContext } from "./contract/source-kind-context.ts";
