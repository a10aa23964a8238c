import { rm } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { openService } from "../src/service.ts";
import { idleKind, temporaryDirectory } from "./fixture.ts";

const { closed, noting } = vi.hoisted(() => {
  const closed: string[] = [];
  /** Returns a module in which the parts that functions create note the call that closes them. */
  async function noting<Module extends object>(
    original: Promise<Module>,
    ...functions: (keyof Module & string)[]
  ): Promise<Module> {
    const module = { ...(await original) };
    for (const name of functions) {
      const create = module[name] as (...params: readonly unknown[]) => unknown;
      const created = (part: object = {}) => {
        const end = "release" in part ? "release" : "close";
        const close = Reflect.get(part, end) as (() => unknown) | undefined;
        const called = () => {
          closed.push(name);
          return close?.();
        };
        return { ...part, [end]: called };
      };
      const wrapped = (...params: readonly unknown[]) => {
        const part = create(...params);
        return part instanceof Promise ? part.then(created) : created(part as object);
      };
      Object.assign(module, { [name]: wrapped });
    }
    return module;
  }
  return { closed, noting };
});

vi.mock(import("@quern/duckdb"), (original) =>
  noting(original(), "createResultReader", "createDownloads", "createResultWriter"),
);
vi.mock(import("../src/common/data-directory.ts"), (original) => noting(original(), "lockDataDirectory"));
vi.mock(import("../src/sources/configured-sources.ts"), async (original) => ({
  ...(await noting(original(), "openSharedBucket")),
  configuredSources: () => () => [{ name: "test", provider: "quern" }],
}));
vi.mock(import("../src/sources/source-kinds.ts"), (original) => noting(original(), "openSourceKinds"));
vi.mock(import("../src/adapters/store.ts"), (original) => noting(original(), "openStore"));
vi.mock(import("../src/scheduler/leadership.ts"), (original) => noting(original(), "createLeadership"));
vi.mock(import("../src/adapters/results.ts"), (original) => noting(original(), "openServiceResults"));
vi.mock(import("../src/telemetry/usage-meter.ts"), (original) => noting(original(), "createUsageMeter"));
vi.mock(import("../src/telemetry/metrics.ts"), (original) => noting(original(), "createMetrics"));
vi.mock(import("../src/telemetry/audit-log.ts"), (original) => noting(original(), "openAuditLog"));
vi.mock(import("../src/runs/run-changes.ts"), (original) => noting(original(), "createRunChanges"));
vi.mock(import("../src/scheduler/scheduler.ts"), (original) => noting(original(), "createScheduler"));
vi.mock(import("../src/scheduler/expired-results.ts"), (original) => noting(original(), "createReaper"));

it("closes each of its parts once, in the reverse order of their opening", async () => {
  const dataDir = await temporaryDirectory();
  const service = await openService({ dataDir, sourceKinds: { duckdb: idleKind } }, { error: () => {} });
  expect(closed).toEqual([]);
  await service.close();
  expect(closed).toEqual([
    "createReaper",
    "createScheduler",
    "createRunChanges",
    "openAuditLog",
    "createMetrics",
    "createUsageMeter",
    "createDownloads",
    "createResultWriter",
    "openServiceResults",
    "createResultReader",
    "createLeadership",
    "openStore",
    "openSourceKinds",
    "openSharedBucket",
    "lockDataDirectory",
  ]);
  await rm(dataDir, { recursive: true, force: true });
});
