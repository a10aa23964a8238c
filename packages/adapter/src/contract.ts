export type { ContractCase } from "./contract/contract-case.ts";
export { type ResultStoreContext, resultStoreContract } from "./contract/result-store.ts";
export type { SharedStoreContext } from "./contract/shared-store/context.ts";
export { sharedStoreContract } from "./contract/shared-store.ts";
export type { Sample, SourceKindContext } from "./contract/source-kind/context.ts";
export { sourceKindContract } from "./contract/source-kind.ts";
export type { StoreContext } from "./contract/store/context.ts";
export { accepted, submission } from "./contract/store/submission.ts";
export { storeContract } from "./contract/store.ts";
