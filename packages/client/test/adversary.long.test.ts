import { runCase, slowCases } from "@quern/conformance/client";
import { expect, it } from "vitest";
import { connectWith } from "./support/adversary-adapter.ts";

it.each(slowCases.map((one) => [one.name, one] as const))("the client withstands %s", async (_name, one) => {
  expect(await runCase(one, connectWith())).toMatchObject({ outcome: "passed", problems: [] });
});
