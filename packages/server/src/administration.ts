export type { Scope, TenantRecord, TenantSettings, UsageRecord } from "@quern/adapter";
export {
  type IssuedKey,
  issueKey,
  type ListedKey,
  listKeys,
  type NewKey,
  revokeKey,
  revokeLinks,
  rotateKey,
} from "./administration/keys.ts";
export { AdministrationError } from "./administration/open-directory.ts";
export { listTenants, listUsage, setTenant } from "./administration/tenants.ts";
export { scopes } from "./identity/principal.ts";
