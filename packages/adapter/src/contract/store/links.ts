import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, t0 } from "./context.ts";

/** Cases about links that can be used once, and about the views of links. */
export const linkCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "lets one of several callers use a link",
    async run(context) {
      await context.setTime(t0);
      const { links } = context.store;
      assert.equal(await links.isUsed("a"), false);
      const used = await Promise.all(Array.from({ length: 20 }, () => links.use("a", t0 + 10)));
      assert.equal(used.filter(Boolean).length, 1);
      assert.equal(await links.isUsed("a"), true);
      assert.equal(await links.isUsed("b"), false);
      assert.equal(await links.use("b", t0 + 10), true);
    },
  },
  {
    name: "remembers a used link until it expires",
    async run(context) {
      const { links } = context.store;
      await context.setTime(t0);
      assert.equal(await links.use("a", t0 + 10), true);
      await context.setTime(t0 + 9);
      assert.equal(await links.use("b", t0 + 20), true);
      assert.equal(await links.isUsed("a"), true);
      assert.equal(await links.use("a", t0 + 10), false);
    },
  },
  {
    name: "keeps the view of a link until the last link to it expires",
    async run(context) {
      const { links } = context.store;
      await context.setTime(t0);
      assert.equal(await links.view("a"), undefined);
      const text = JSON.stringify({ text: "O'Neil \u{1F600} \\u0000", number: "9007199254740993" });
      await Promise.all([20, 10, 15].map((ms) => links.keepView("a", text, t0 + ms)));
      await context.setTime(t0 + 19);
      await links.keepView("b", "b", t0 + 30);
      assert.equal(await links.view("a"), text);
      await context.setTime(t0 + 21);
      await links.keepView("c", "c", t0 + 30);
      assert.equal(await links.view("a"), undefined);
      assert.equal(await links.view("b"), "b");
    },
  },
];
