import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { adversaryCases, formatResults, isAsExpected, runCommand } from "../../src/client/index.ts";

const client = fileURLToPath(new URL("client.py", import.meta.url));
const library = "http.client of Python has it so";
const attempts = "it gives up after four attempts";
const expectedFailures = {
  "early hints before the answer": library,
  "two lengths that differ": library,
  "a length that is no number": library,
  "an answer to a create after the caller gave up": "it does not wait for what it gave up",
  "silence to a create that the caller gave up": "it withdraws nothing without an answer",
  "a withdrawal by key on a service that knows none": "it withdraws nothing without an answer",
  "twelve polls reset, then a service that is back": attempts,
  "twelve polls met by HTTP 502, then a service that is back": attempts,
  "a poll refused after an outage": attempts,
  "a poll that must not wait": "it never asks a poll to wait",
  "a poll met by HTTP 500": "it takes a 500 for final",
};

it("a client of Python's standard library withstands what does not need a batch", async () => {
  const results = await runCommand({ command: `python3 ${JSON.stringify(client)}`, expectedFailures });
  expect(results).toHaveLength(adversaryCases.length);
  expect(isAsExpected(results, "should"), formatResults(results)).toBe(true);
  const unplayed = results.filter(({ outcome }) => outcome === "not played").map(({ name }) => name);
  const ofBatches = adversaryCases.filter(({ faults }) => faults.some(({ batch }) => batch)).map(({ name }) => name);
  expect(unplayed).toEqual(ofBatches);
});
