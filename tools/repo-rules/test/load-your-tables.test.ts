import { expect, it } from "vitest";
import { guideSnippets, openGuide } from "../src/tables-guide.ts";

it("the guide's commands load files while the service runs, and queries join them", async () => {
  await using guide = await openGuide();
  for (const { code, output } of guideSnippets({ postgres: false, objects: false })) {
    const printed = await guide.run(code);
    if (output === undefined) expect(printed).not.toBe("");
    else expect(printed).toBe(output);
  }
});
