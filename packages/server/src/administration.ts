export type { Scope, TenantSettings, UsageRecord } from "@quern/adapter";
export { abandonResults } from "./administration/abandon-results.ts";
export { type AuditLocation, verifyAudit } from "./administration/audit.ts";
export { type Erased, eraseUser, type UserToErase } from "./administration/erase.ts";
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
export { migrateStore, type StoreToMigrate } from "./administration/migrate-store.ts";
export { AdministrationError, type ServiceLocation, UnfinishedChangeError } from "./administration/open-directory.ts";
export type { MigrationTarget } from "./administration/storage-locations.ts";
export { type ListedTenant, listTenants, listUsage, setTenant } from "./administration/tenants.ts";
export { scopes } from "./identity/principal.ts";
export type { Comparison, Difference, MigratedKind, MigrationReport, Progress } from "./migration/report.ts";
export type { AuditExpectation, AuditFault, AuditVerification } from "./telemetry/audit-verification.ts";
