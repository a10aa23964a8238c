import type { Store } from "@quern/adapter";
import { storeContract } from "@quern/adapter/contract";
import pg from "pg";
import { afterEach, it } from "vitest";
import { describeOnPostgres, openStore } from "./fixture.ts";

await describeOnPostgres("a store on PostgreSQL", (server) => {
  let store: Store | undefined;
  let clock: pg.Pool | undefined;
  afterEach(async () => {
    await store?.close();
    await clock?.end();
  });

  it.each(storeContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    const url = await server.createDatabase();
    store = await openStore(url);
    const ownClock = new pg.Pool({ connectionString: url, max: 1 });
    clock = ownClock;
    const setTime = async (now: number) => void (await ownClock.query("UPDATE quern.test_clock SET now = $1", [now]));
    await setTime(0);
    await run({ store, setTime });
  });
});
