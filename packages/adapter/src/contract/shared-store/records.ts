import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { t0 } from "../store/context.ts";
import { accepted, submission } from "../store/submission.ts";
import type { SharedStoreContext } from "./context.ts";

/** Cases about keys, settings, tenants and links that one server changes and another one reads. */
export const sharedRecordCases: readonly ContractCase<SharedStoreContext>[] = [
  {
    name: "gives all servers that create a setting at the same time the text of one of them",
    async run({ store, another }) {
      const texts = Array.from({ length: 20 }, (_, number) => String(number));
      const kept = await Promise.all(
        texts.map((text, call) => (call % 2 === 0 ? store : another).settings.getOrCreate("shared", text)),
      );
      assert.equal(new Set(kept).size, 1);
      await store.settings.set("shared", "changed");
      assert.equal(await another.settings.getOrCreate("shared", "later"), "changed");
    },
  },
  {
    name: "lets one of several calls on all servers use a link",
    async run({ store, another, setTime }) {
      await setTime(t0);
      const used = await Promise.all(
        Array.from({ length: 20 }, (_, call) => (call % 2 === 0 ? store : another).links.use("a", t0 + 10)),
      );
      assert.equal(used.filter(Boolean).length, 1);
      for (const { links } of [store, another]) assert.equal(await links.isUsed("a"), true);
    },
  },
  {
    name: "shows a key that another server adds and revokes",
    async run({ store, another, setTime }) {
      await setTime(t0);
      const hash = new TextEncoder().encode("hash");
      const limits = { scopes: ["read"], sources: null, origins: null, networks: null, expiresAt: null } as const;
      const owner = { tenantId: "tenant", userId: "user" };
      await another.keys.add({ id: "key", hash, lastFour: "abcd", origin: "issued", ...owner, ...limits });
      assert.equal((await store.keys.byHash(hash))?.state, "active");
      await another.keys.revoke("key");
      assert.equal((await store.keys.byHash(hash))?.state, "revoked");
    },
  },
  {
    name: "shows the settings of a tenant that another server changes",
    async run({ store, another, setTime }) {
      await setTime(t0);
      await Promise.all([
        store.tenants.set("tenant", { maxUnfinishedRuns: 3 }),
        another.tenants.set("tenant", { maxRunningRuns: 2 }),
      ]);
      const settings = { maxUnfinishedRuns: 3, maxRunningRuns: 2 };
      for (const { tenants } of [store, another])
        assert.deepEqual((await tenants.tenant("tenant"))?.settings, settings);
    },
  },
  {
    name: "lists the servers that have leases, also to another server",
    async run({ store, another, setTime }) {
      await setTime(t0);
      assert.deepEqual(await another.servers(), []);
      await store.leases.take("leader", 1, { owner: "one", ms: 1_000 });
      accepted(await store.runs.submit(submission()));
      await store.runs.claim({ owner: "two", ms: 1_000 });
      assert.deepEqual(await another.servers(), ["one", "two"]);
      await setTime(t0 + 60_000);
      assert.deepEqual(await another.servers(), []);
      await store.leases.take("leader", 1, { owner: "three", ms: 1_000 });
      await store.leases.release("leader", "three");
      assert.deepEqual(await another.servers(), []);
    },
  },
];
