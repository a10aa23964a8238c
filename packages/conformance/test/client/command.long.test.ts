import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { adversaryCases, formatResults, isAsExpected, runCommand } from "../../src/client/index.ts";

const client = fileURLToPath(new URL("client.py", import.meta.url));
const library = "http.client of Python has it so";
const attempts = "it gives up after four attempts";
const expectedFailures = {
  "early hints before the response": library,
  "two content lengths": library,
  "invalid content length": library,
  "create answered after the caller aborts": "it does not wait for what it gave up",
  "create without a response when the caller aborts": "it withdraws nothing without an answer",
  "cancel by idempotency key refused": "it withdraws nothing without an answer",
  "twelve polls reset": attempts,
  "twelve polls answered with HTTP 502": attempts,
  "poll refused with HTTP 401 after an outage": attempts,
  "waitSeconds refused": "it never asks a poll to wait",
  "poll answered with HTTP 500": "it takes a 500 for final",
};

it("a client of Python's standard library withstands what does not need a batch", async () => {
  const results = await runCommand({ command: `python3 ${JSON.stringify(client)}`, expectedFailures });
  expect(results).toHaveLength(adversaryCases.length);
  expect(isAsExpected(results, "should"), formatResults(results)).toBe(true);
  const unplayed = results.filter(({ outcome }) => outcome === "not-reached").map(({ name }) => name);
  const ofBatches = adversaryCases.filter(({ faults }) => faults.some(({ batch }) => batch)).map(({ name }) => name);
  expect(unplayed).toEqual(ofBatches);
});
