export {
  type IssuedKey,
  issueKey,
  type ListedKey,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
} from "./administration/keys.ts";
export { AdministrationError } from "./administration/open-directory.ts";
export { listTenants, setTenant } from "./administration/tenants.ts";
export { listUsage } from "./administration/usage.ts";
export { type Scope, scopes } from "./identity/scope.ts";
export type { TenantRecord, TenantSettings } from "./store/tenant-store.ts";
export type { UsageRecord } from "./store/usage-store.ts";
