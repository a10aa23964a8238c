import type { ContractCase } from "./contract-case.ts";
import type { StoreContext } from "./store/context.ts";
import { erasureCases } from "./store/erasure.ts";
import { requestCases } from "./store/idempotency-and-withdrawal.ts";
import { keyCases } from "./store/keys.ts";
import { leaseCases } from "./store/leases.ts";
import { linkCases } from "./store/links.ts";
import { migrationCases } from "./store/migration.ts";
import { namedLeaseCases } from "./store/named-leases.ts";
import { noticeCases } from "./store/notices.ts";
import { queueCases } from "./store/queue.ts";
import { rateCases } from "./store/rates.ts";
import { recordCases } from "./store/records.ts";
import { reuseCases } from "./store/reuse-and-caps.ts";
import { searchCases } from "./store/run-search.ts";
import { visibilityCases } from "./store/run-visibility.ts";
import { settingCases } from "./store/settings.ts";
import { tenantCases } from "./store/tenants.ts";
import { uploadCases } from "./store/uploads.ts";

/** Cases for the behaviour of a store that the service relies on. Each case needs a store of its own. */
export const storeContract: readonly ContractCase<StoreContext>[] = [
  ...recordCases,
  ...reuseCases,
  ...requestCases,
  ...visibilityCases,
  ...searchCases,
  ...queueCases,
  ...leaseCases,
  ...noticeCases,
  ...keyCases,
  ...tenantCases,
  ...settingCases,
  ...linkCases,
  ...uploadCases,
  ...rateCases,
  ...namedLeaseCases,
  ...erasureCases,
  ...migrationCases,
];
