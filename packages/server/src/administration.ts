export type { Scope, TenantRecord, TenantSettings, UsageRecord } from "@quern/adapter";
export {
  type IssuedKey,
  issueKey,
  type ListedKey,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
} from "./administration/keys.ts";
export { revokeLinks } from "./administration/links.ts";
export { AdministrationError } from "./administration/open-directory.ts";
export { listTenants, setTenant } from "./administration/tenants.ts";
export { listUsage } from "./administration/usage.ts";
export { scopes } from "./identity/scope.ts";
