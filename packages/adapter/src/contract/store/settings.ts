import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import type { StoreContext } from "./context.ts";

/** Cases about the settings that all servers of a store share. */
export const settingCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "keeps the first text of a setting until another one is set",
    async run({ store: { settings } }) {
      assert.equal(await settings.getOrCreate("a", '"first"'), '"first"');
      assert.equal(await settings.getOrCreate("a", '"second"'), '"first"');
      await settings.set("a", '"third"');
      await settings.set("b", "[1]");
      assert.equal(await settings.getOrCreate("a", '"fourth"'), '"third"');
      assert.equal(await settings.getOrCreate("b", "null"), "[1]");
    },
  },
  {
    name: "returns the same text to all concurrent callers that create a setting",
    async run({ store: { settings } }) {
      const given = Array.from({ length: 20 }, (_, number) => JSON.stringify({ number, "it's": "é" }));
      const kept = await Promise.all(given.map((text) => settings.getOrCreate("shared", text)));
      assert.equal(new Set(kept).size, 1);
      assert.ok(given.includes(kept[0] ?? ""));
    },
  },
];
