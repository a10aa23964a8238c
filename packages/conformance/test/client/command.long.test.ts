import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { adversaryCases, formatResults, isAsExpected, runCommand } from "../../src/client/index.ts";

const client = fileURLToPath(new URL("client.py", import.meta.url));
const library = "http.client of Python behaves so";
const attempts = "it gives up after four attempts";
const expectedFailures = {
  "early hints before the response": library,
  "two content lengths": library,
  "invalid content length": library,
  "create answered after the caller aborts": "it does not wait for an aborted call",
  "create without a response when the caller aborts": "it cancels no run without its id",
  "cancel by idempotency key refused": "it cancels no run without its id",
  "twelve polls reset": attempts,
  "twelve polls answered with HTTP 502": attempts,
  "poll refused with HTTP 401 after an outage": attempts,
  "waitSeconds refused": "it never sends waitSeconds",
  "poll answered with HTTP 500": "it does not retry HTTP 500",
};

it("a client of Python's standard library passes all cases without batches", async () => {
  const results = await runCommand({ command: `python3 ${JSON.stringify(client)}`, expectedFailures });
  expect(results).toHaveLength(adversaryCases.length);
  expect(isAsExpected(results, "should"), formatResults(results)).toBe(true);
  const unplayed = results.filter(({ outcome }) => outcome === "not-reached").map(({ name }) => name);
  const ofBatches = adversaryCases.filter(({ faults }) => faults.some(({ batch }) => batch)).map(({ name }) => name);
  expect(unplayed).toEqual(ofBatches);
});
