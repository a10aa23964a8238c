import { type SchemaTable, validator } from "@quern/protocol/validator";
import { maxTimerSeconds } from "../common/deadline.ts";

const count: SchemaTable = { type: "integer", minimum: 1 };
const orNone: SchemaTable = { type: "integer", minimum: 0 };
const positive: SchemaTable = { type: "number", minimum: 0.001 };
const seconds: SchemaTable = { ...positive, maximum: maxTimerSeconds };

/** What each limit may be, wherever it is set. */
export const limitTables = {
  maxUnfinishedRuns: orNone,
  maxRunningRunsOfTenant: count,
  maxQueuedRuns: orNone,
  maxRunningRuns: count,
  statementTimeoutSeconds: seconds,
  describeTimeoutSeconds: seconds,
  memoryMegabytes: count,
  spillMegabytes: count,
  maxResultBytes: count,
  maxResultRows: count,
  maxDiskShare: { type: "number", minimum: 0.001, maximum: 1 },
  maxPageBytes: count,
  requestsPerSecond: positive,
  requestBurst: count,
  monthlyExecSeconds: orNone,
  maxBodyBytes: count,
  maxBatch: count,
  maxDepth: count,
  reapIntervalMs: { ...count, maximum: maxTimerSeconds * 1_000 },
} as const satisfies Readonly<Record<string, SchemaTable>>;

const schemas = new Map<string, ReturnType<typeof validator>>(
  Object.entries(limitTables).map(([name, table]) => [name, validator(table)]),
);

/** The first limit that is none, in words; those that are undefined are not set. */
export function limitFault(limits: object): string | undefined {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const schema = schemas.get(name);
    if (schema === undefined) return `there is no limit ${name}`;
    const { issues = [] } = { issues: undefined, ...schema["~standard"].validate(value) };
    const [issue] = issues;
    if (issue !== undefined) return `${name}: expected ${issue.expected}, received ${issue.received}`;
  }
  return undefined;
}
