import { adversaryCases, runCase } from "@quern/conformance/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectWith } from "./support/adversary-adapter.ts";

// Without jitter: delays between attempts are zero.
beforeAll(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterAll(() => void vi.restoreAllMocks());

/** Faults of connections and of HTTP. The layers that read the JSON of a response are the same for all transports. */
const isOfTransport = ({ query, name }: (typeof adversaryCases)[number]) =>
  !query &&
  /HTTP|connection|closed|reset|body|byte|chunk|content|charset|header|hint|redirect|respon|abort|data after/.test(
    name,
  );

describe.each([
  ["node:http", adversaryCases, undefined],
  ["fetch", adversaryCases.filter(isOfTransport), (...request: Parameters<typeof fetch>) => fetch(...request)],
])("over %s the client withstands", (_transport, cases, fetch) => {
  it.concurrent.each(cases)("$name", async (one) => {
    const { timeoutMs = 0 } = one;
    const first = await runCase(one, connectWith({ fetch }));
    // On a loaded machine a short deadline may pass before its request arrives, or before the case aborts the call.
    const hasTimedOut = first.problems.some((problem) =>
      /got the error timeout$|^the client sent no request$/.test(problem),
    );
    const isLate = (first.outcome === "not-reached" || hasTimedOut) && timeoutMs > 0;
    const { outcome, problems } = isLate
      ? await runCase({ ...one, timeoutMs: 20 * timeoutMs }, connectWith({ fetch }))
      : first;
    expect({ outcome, problems }).toEqual({ outcome: "passed", problems: [] });
  });
});
