import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../src/tree.ts";
import { typesPage } from "./page.ts";

it("the guide to types is up to date with the samples; run this test with -u to write it", async () => {
  await expect(typesPage()).toMatchFileSnapshot(join(root, "docs/guides/types-and-values.md"));
});
