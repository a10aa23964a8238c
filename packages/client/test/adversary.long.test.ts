import { patientCases, playCase } from "@quern/conformance/client";
import { expect, it } from "vitest";
import { connectWith } from "./support/adversary-adapter.ts";

it.each(patientCases.map((one) => [one.name, one] as const))("the client withstands %s", async (_name, one) => {
  expect(await playCase(one, connectWith())).toMatchObject({ outcome: "passed", problems: [] });
});
