import type { Store } from "@quern/adapter";
import { sharedStoreContract, storeContract } from "@quern/adapter/contract";
import pg from "pg";
import { afterEach, beforeEach, describe, it } from "vitest";
import { describeOnPostgres, openStore } from "./fixture.ts";

await describeOnPostgres("a store on PostgreSQL", (server) => {
  let url: string;
  let clock: pg.Pool;
  let stores: Store[];
  beforeEach(async () => {
    url = await server.createDatabase();
    clock = new pg.Pool({ connectionString: url, max: 1 });
    // PostgreSQL may end before the connection, while it is used or idle.
    clock.on("connect", (client) => client.on("error", () => {}));
    clock.on("error", () => {});
    stores = [];
    await setTime(0);
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await clock.end();
  });

  async function setTime(now: number): Promise<void> {
    await clock.query("UPDATE quern.test_clock SET now = $1", [now]);
  }

  async function open(): Promise<Store> {
    const store = await openStore(url);
    stores.push(store);
    return store;
  }

  it.each(storeContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
    await run({ store: await open(), setTime });
  });

  describe("of two servers", () => {
    it.each(sharedStoreContract.map(({ name, run }) => [name, run] as const))("%s", async (_, run) => {
      await run({ store: await open(), another: await open(), setTime });
    });
  });
});
