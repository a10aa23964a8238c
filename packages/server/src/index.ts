export { type Clock, systemClock } from "./clock.ts";
export { createDuckDBExecutor, type DuckDBExecutorOptions } from "./executor/duckdb/executor.ts";
export type { Description, Executor, ParameterDescription, Statement, WrittenResult } from "./executor/executor.ts";
export { type Log, standardErrorLog } from "./log.ts";
export type { Server, ServerLimits, ServerOptions } from "./options.ts";
export { CallError, type CallFailure, ChildLostError } from "./processes/messages.ts";
export { createServer } from "./server.ts";
export { dataDirectorySources } from "./sources/data-directory-sources.ts";
export type { Source, SourceConfiguration } from "./sources/source.ts";
