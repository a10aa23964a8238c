export type { ClockOptions, MockClock } from "./clock.ts";
export { createClock } from "./clock.ts";
export type { Duration } from "./duration.ts";
export type { MockServer, MockServerOptions } from "./mock-server.ts";
export { createMockServer } from "./mock-server.ts";
export type { Execute } from "./outcome.ts";
export type { ColumnSpec, Rows, Table } from "./result-set.ts";
export type { Failure, Matcher, MockQuery, Stub } from "./stub.ts";
