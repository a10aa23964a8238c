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

const lanes = 4;

/** Clients in three other languages play all cases: see `bad-networks.long.test.ts` of the published clients. */
const played = adversaryCases.filter(
  ({ name, faults }, index) => index % 3 === 0 || name in expectedFailures || faults.some(({ batch }) => batch),
);

it("a client of Python's standard library passes the cases without batches", async () => {
  // Several at once, because many cases wait for a deadline.
  const command = `python3 ${JSON.stringify(client)}`;
  const parts = Array.from({ length: lanes }, (_, lane) => played.filter((_, at) => at % lanes === lane));
  const results = (await Promise.all(parts.map((cases) => runCommand({ command, cases, expectedFailures })))).flat();
  expect(results).toHaveLength(played.length);
  expect(isAsExpected(results, "should"), formatResults(results)).toBe(true);
  const unplayed = results.filter(({ outcome }) => outcome === "not-reached").map(({ name }) => name);
  const ofBatches = played.filter(({ faults }) => faults.some(({ batch }) => batch)).map(({ name }) => name);
  expect(unplayed.toSorted()).toEqual(ofBatches.toSorted());
});

it("a client that sends a request and does not end is killed after its deadline, and must end", async () => {
  const script = `
    for await (const chunk of process.stdin) {
      const { url, calls } = JSON.parse(chunk);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: calls[0].method, params: [calls[0].params] });
      await fetch(url + "/json-rpc", { method: "POST", body });
    }
    setInterval(() => {}, 1_000);`;
  const command = `${JSON.stringify(process.execPath)} --input-type=module --eval '${script}'`;
  const call = { method: "getQueryRun", params: { queryRunId: "a" } };
  const endings = ["right"] as const;
  const cases = [{ name: "waitSeconds refused", calls: [call], faults: [{}], endings, timeoutMs: 100 }];
  const results = await runCommand({ command, cases });
  expect(results).toMatchObject([
    { level: "must", outcome: "failed", problems: ["expected the right result, but the call did not end"] },
  ]);
});
