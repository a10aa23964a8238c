import type { ContractCase } from "./contract-case.ts";
import type { SharedStoreContext } from "./shared-store/context.ts";
import { sharedLimitCases } from "./shared-store/limits.ts";
import { sharedRecordCases } from "./shared-store/records.ts";
import { sharedRunCases } from "./shared-store/runs.ts";

/**
 * Cases for a store that several servers use at the same time, in addition to those of a store. A store that keeps a
 * counter in the process fails them. Each case needs a store of its own.
 */
export const sharedStoreContract: readonly ContractCase<SharedStoreContext>[] = [
  ...sharedLimitCases,
  ...sharedRunCases,
  ...sharedRecordCases,
];
