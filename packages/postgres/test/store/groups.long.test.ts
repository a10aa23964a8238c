import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeOnPostgres, execute, openStore } from "./fixture.ts";

const lease = { owner: "server", ms: 60_000 };

await describeOnPostgres("claims that are made at once", (server) => {
  let url: string;
  let store: Store;
  beforeEach(async () => {
    url = await server.createDatabase();
    store = await openStore(url);
  });
  afterEach(() => store.close());

  const times = <T>(count: number, work: (call: number) => T): T[] => Array.from({ length: count }, (_, n) => work(n));

  async function submit(count: number, of: (n: number) => ReturnType<typeof submission>): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(accepted(await store.runs.submit(of(n))).run.id);
    return ids;
  }

  async function claim(count: number): Promise<string[]> {
    const claims = await Promise.all(times(count, () => store.runs.claim(lease)));
    return claims.flatMap((claimed) => (claimed === undefined ? [] : [claimed.run.id]));
  }

  /** Returns the number of transactions that were the last to change the runs. */
  async function transactions(ids: readonly string[]): Promise<number> {
    const text = "SELECT count(DISTINCT xmin::text)::int AS n FROM quern.runs WHERE id = ANY($1)";
    return (await execute(url, text, [ids]))[0]?.n;
  }

  it("claims runs in one transaction, round-robin over tenants and users", async () => {
    const [a1, a2, a3, b1, c1] = await submit(5, (n) =>
      submission({ tenantId: "aaabc"[n] ?? "", userId: `u${n % 2}` }),
    );
    const claimed = await claim(5);
    expect(claimed).toEqual([a1, b1, c1, a2, a3]);
    expect(await transactions(claimed)).toBe(1);
    // The tenant and the user that were served last are the last ones of the next round, too.
    const [a4, b2, a5] = await submit(3, (n) => submission({ tenantId: "aba"[n] ?? "", userId: `u${n % 2}` }));
    await submit(1, () => submission({ tenantId: "a", userId: "u1" }));
    expect(await claim(3)).toEqual([b2, expect.anything(), a4]);
    expect(await claim(3)).toEqual([a5]);
  });

  it("claims no more runs of a tenant than its cap allows, and returns undefined to the others", async () => {
    const capped = { caps: { maxRunningRuns: 3 } };
    await submit(12, (n) => submission({ tenantId: n < 9 ? "a" : "b", userId: `u${n % 2}` }, capped));
    expect(await claim(4)).toHaveLength(4);
    expect(await claim(8)).toHaveLength(2);
    expect(await claim(8)).toEqual([]);
  });

  it("claims all runs of a user beside another user with few", async () => {
    await submit(12, (n) => submission({ userId: n < 10 ? "many" : "few" }));
    expect(await claim(12)).toHaveLength(12);
  });
});
