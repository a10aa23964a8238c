import type { ContractCase } from "./contract-case.ts";
import { answerCases } from "./store/answers.ts";
import type { StoreContext } from "./store/context.ts";
import { keyCases } from "./store/keys.ts";
import { leaseCases } from "./store/leases.ts";
import { noticeCases } from "./store/notices.ts";
import { queueCases } from "./store/queue.ts";
import { recordCases } from "./store/records.ts";
import { requestCases } from "./store/requests.ts";
import { settingCases } from "./store/settings.ts";
import { tenantCases } from "./store/tenants.ts";
import { userCases } from "./store/users.ts";

/** What the service relies on, whatever keeps the records. Each case has a store of its own. */
export const storeContract: readonly ContractCase<StoreContext>[] = [
  ...recordCases,
  ...answerCases,
  ...requestCases,
  ...userCases,
  ...queueCases,
  ...leaseCases,
  ...noticeCases,
  ...keyCases,
  ...tenantCases,
  ...settingCases,
];
