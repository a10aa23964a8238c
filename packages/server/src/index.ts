export type { Source, SourceConfiguration } from "@quern/adapter";
export {
  dataDirectorySources,
  examineSources,
  examineUserIds,
  parseUserIds,
  type SandboxLayer,
  type SourceReport,
  sandboxing,
} from "@quern/duckdb";
export { examineStorage, type StorageReport } from "./adapters/examination.ts";
export { type Clock, systemClock } from "./common/clock.ts";
export { type DirectoryReport, examineDataDirectory } from "./common/data-directory.ts";
export { createLog, type Log, type LogFields, type LogOptions, standardErrorLog } from "./common/log.ts";
export { ConfigurationError, type ConfigurationParts, readConfiguration } from "./configuration/configuration.ts";
export type { Server, ServerOptions } from "./configuration/options.ts";
export { type Configuration, type SettingInForce, settingsInForce } from "./configuration/settings.ts";
export { type DiskReport, examineDisk } from "./disk/disk-space.ts";
export type { ServerLimits } from "./generated/limits.ts";
export type { AuditOptions, JwtOptions } from "./generated/settings.ts";
export { createServer } from "./server.ts";
