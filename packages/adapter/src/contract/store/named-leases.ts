import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, t0 } from "./context.ts";

const of = (owner: string, ms = 1_000) => ({ owner, ms });

/** Cases about leases by name. */
export const namedLeaseCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "gives a lease with one permit to one owner, who can renew it until it ends",
    async run(context) {
      const { leases } = context.store;
      await context.setTime(t0);
      assert.deepEqual([await leases.take("a", 1, of("one")), await leases.take("a", 1, of("other"))], [true, false]);
      assert.equal(await leases.take("b", 1, of("other")), true);
      await context.setTime(t0 + 999);
      assert.equal(await leases.take("a", 1, of("one")), true);
      await context.setTime(t0 + 1_998);
      assert.equal(await leases.take("a", 1, of("other")), false);
      await context.setTime(t0 + 1_999);
      assert.equal(await leases.take("a", 1, of("other")), true);
      assert.equal(await leases.take("a", 1, of("one")), false);
    },
  },
  {
    name: "gives a lease to another owner once it is released, and ignores the release of others",
    async run(context) {
      const { leases } = context.store;
      await context.setTime(t0);
      assert.equal(await leases.take("a", 1, of("one")), true);
      await leases.release("a", "other");
      await leases.release("b", "one");
      assert.equal(await leases.take("a", 1, of("other")), false);
      await leases.release("a", "one");
      await leases.release("a", "one");
      assert.equal(await leases.take("a", 1, of("other")), true);
    },
  },
  {
    name: "gives no more permits of a lease than its limit to concurrent owners",
    async run(context) {
      const { leases } = context.store;
      await context.setTime(t0);
      const owners = Array.from({ length: 20 }, (_, number) => `owner ${number}`);
      const taken = await Promise.all(owners.map((owner) => leases.take("a", 5, of(owner))));
      assert.equal(taken.filter(Boolean).length, 5);
      const holder = owners[taken.indexOf(true)] ?? "";
      assert.equal(await leases.take("a", 5, of(holder, 2_000)), true);
      assert.equal(await leases.take("a", 5, of("late")), false);
      await context.setTime(t0 + 1_000);
      // The renewed permit is the only one that has not ended.
      const later = await Promise.all(owners.map((owner) => leases.take("a", 5, of(`later ${owner}`))));
      assert.equal(later.filter(Boolean).length, 4);
    },
  },
];
