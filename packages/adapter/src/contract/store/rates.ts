import assert from "node:assert/strict";
import type { Rate } from "../../store/rate-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, t0 } from "./context.ts";

const rate: Rate = { requestsPerSecond: 4, burst: 3 };

/** Cases about the token buckets of rate limits. */
export const rateCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "gives the tokens of a full bucket at once, then refills it at its rate",
    async run(context) {
      const { rates } = context.store;
      const take = (key = "key") => rates.take(key, rate);
      await context.setTime(t0);
      assert.deepEqual([await take(), await take(), await take()], [0, 0, 0]);
      assert.deepEqual([await take(), await take()], [250, 250]); // a refused call takes no token
      await context.setTime(t0 + 249);
      assert.equal(await take(), 1);
      await context.setTime(t0 + 250);
      assert.deepEqual([await take(), await take()], [0, 250]);
      assert.equal(await take("another"), 0);
      await context.setTime(t0 + 60_000);
      assert.deepEqual([await take(), await take(), await take(), await take()], [0, 0, 0, 250]);
    },
  },
  {
    name: "gives each token to one of several concurrent calls",
    async run(context) {
      await context.setTime(t0);
      const waits = await Promise.all(Array.from({ length: 20 }, () => context.store.rates.take("key", rate)));
      assert.deepEqual(waits.sort(), [...Array(3).fill(0), ...Array(17).fill(250)]);
    },
  },
  {
    name: "lacks at most a whole bucket after the clock was set back",
    async run(context) {
      const { rates } = context.store;
      await context.setTime(t0);
      for (let call = 0; call < 3; call += 1) assert.equal(await rates.take("key", rate), 0);
      await context.setTime(t0 - 3_600_000);
      assert.equal(await rates.take("key", rate), 250);
      await context.setTime(t0 - 3_600_000 + 250);
      assert.deepEqual([await rates.take("key", rate), await rates.take("key", rate)], [0, 250]);
    },
  },
];
