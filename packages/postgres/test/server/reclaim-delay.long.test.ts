import { accepted, submission } from "@quern/adapter/contract";
import { expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../../server/src/adapters/store.ts";
import { describeOnPostgres, execute } from "../store/fixture.ts";

/** PostgreSQL has been up for longer than the second in which servers with leases of 3 seconds renew them. */
const isUp = "SELECT clock_timestamp() - pg_postmaster_start_time() > interval '2 s' AS up";

await describeOnPostgres("the store that a server opens", (server) => {
  it("reclaims lost runs after the interval in which servers with its leases renew them", async () => {
    const url = await server.createDatabase();
    const log = { error: () => {} }; // it reports the connections that the test ends
    const store = await openStore({ store: url, leaseSeconds: 3 }, { path: ":memory:" }, log);
    onTestFinished(() => store.close());
    const { run } = accepted(await store.runs.submit(submission()));
    await store.runs.claim({ owner: "a server that ended", ms: -1 });
    await vi.waitUntil(async () => (await execute(url, isUp))[0]?.up, { timeout: 60_000, interval: 100 });
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await execute(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quern'");
    await vi.waitUntil(() => store.now().catch(() => undefined), { timeout: 60_000 });
    vi.advanceTimersByTime(900);
    expect(await store.runs.reclaim("its lease expired", [])).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(await store.runs.reclaim("its lease expired", [])).toMatchObject([{ lost: { id: run.id } }]);
  });
});
