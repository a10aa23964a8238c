import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClaimedRun, Store } from "@quern/adapter";
import { sharedStoreContract } from "@quern/adapter/contract";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

const cases = sharedStoreContract.map(({ name, run }) => [name, run] as const);

/** Opens a file twice, as two servers would if its lock let them. */
async function openTwice(): Promise<{ store: Store; another: Store; setTime: (now: number) => void }> {
  const directory = await temporaryDirectory();
  const clock = createTestClock();
  const path = join(directory, "test.db");
  const [store, another] = [openSqliteStore(path, { clock }), openSqliteStore(path, { clock })];
  onTestFinished(async () => {
    await Promise.all([store.close(), another.close()]);
    await rm(directory, { recursive: true });
  });
  return { store, another, setTime: (now) => clock.advance(now - clock.now()) };
}

it.each(cases)("the contract of shared stores holds for one store that two servers use: %s", async (_, run) => {
  const context = await openTwice();
  await run({ ...context, another: context.store });
});

it("the contract of shared stores fails for counters of each process", async () => {
  const failed: string[] = [];
  // A case about notices would wait for one that does not come.
  for (const [name, run] of cases.filter(([name]) => !name.startsWith("notifies ")))
    await run(await openTwice()).catch(() => failed.push(name));
  expect(failed).toEqual([
    "takes the tokens of a key from one bucket, whichever server asks",
    "shares the permits of a lease among the owners of all servers",
    "lists the servers that have leases, also to another server",
  ]);
});

/** Claims a run of the first tenant, as a server does that does not know which tenants the others have served. */
function claimInOwnOrder({ runs }: Store): Store["runs"] {
  return {
    ...runs,
    async claim(lease) {
      const claimed: ClaimedRun[] = [];
      for (let next = await runs.claim(lease); next !== undefined; next = await runs.claim(lease)) claimed.push(next);
      const [first, ...others] = claimed.sort((one, other) => one.run.tenantId.localeCompare(other.run.tenantId));
      for (const { run } of others) await runs.apply(run.id, { type: "released", attempt: run.attempt });
      return first;
    },
  };
}

it.each<[string, string, (store: Store) => Partial<Store>]>([
  [
    "counts runs for each server",
    "executes at most as many runs of a tenant",
    ({ runs }) => ({
      runs: { ...runs, submit: (of) => runs.submit({ ...of, caps: { ...of.caps, maxRunningRuns: undefined } }) },
    }),
  ],
  [
    "counts unfinished runs for each server",
    "refuses runs above the cap of a tenant",
    ({ runs }) => ({ runs: { ...runs, submit: (of) => runs.submit({ ...of, caps: {} }) } }),
  ],
  ["begins its own round of tenants", "serves tenants round-robin", (store) => ({ runs: claimInOwnOrder(store) })],
  [
    "counts usage for each server",
    "adds the usage that all servers report",
    ({ usage }) => ({ usage: { ...usage, add: async () => {} } }),
  ],
  [
    "knows the idempotency keys of each server",
    "answers concurrent calls with one idempotency key",
    ({ runs }) => ({
      runs: { ...runs, submit: (of) => runs.submit({ ...of, idempotency: null }) },
    }),
  ],
  [
    "shares no run of the other server",
    "shares one run among concurrent calls for the same result",
    ({ runs }) => ({
      runs: { ...runs, submit: (of) => runs.submit({ ...of, request: { ...of.request, maxAgeMinutes: 0 } }) },
    }),
  ],
  [
    "makes a setting for each server",
    "gives all servers that create a setting",
    ({ settings }) => ({ settings: { ...settings, getOrCreate: async (_, text) => text } }),
  ],
  [
    "uses a link once on each server",
    "lets one of several calls on all servers use a link",
    ({ links }) => ({ links: { ...links, use: async () => true } }),
  ],
  [
    "keeps a revoked key on the other server",
    "shows a key that another server adds and revokes",
    ({ keys }) => ({ keys: { ...keys, revoke: async () => {} } }),
  ],
  ["lists its own leases only", "lists the servers that have leases", () => ({ servers: async () => [] })],
])("a shared store that %s fails the contract, which %s", async (_, name, change) => {
  const { run } = sharedStoreContract.find((each) => each.name.startsWith(name)) ?? { run: async () => {} };
  const context = await openTwice();
  const another = { ...context.store, ...change(context.store) };
  await expect(run({ ...context, another })).rejects.toThrow();
});

it("a shared store that does not notify of queued runs fails the contract", async () => {
  const { run } = sharedStoreContract.find(({ name }) => name.startsWith("notifies ")) ?? { run: async () => {} };
  const context = await openTwice();
  const { store } = context;
  const subscribe: Store["subscribe"] = (listener) =>
    store.subscribe((notice) => {
      if (notice.state !== "QUERY_STATE_READY") listener(notice);
    });
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const shortened = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(500));
  onTestFinished(() => shortened.mockRestore());
  await expect(run({ ...context, store: { ...store, subscribe }, another: store })).rejects.toThrow("no notice");
});
