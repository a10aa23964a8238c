import type { QueryRun } from "@quern/protocol/types";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { awaitService } from "../../src/run/outage.ts";
import { isFinal, requireSuccess } from "../../src/run/run-state.ts";
import type { Client } from "../../src/wire/client.ts";
import { QuernError } from "../../src/wire/quern-error.ts";

const run = (state: string, members: object = {}) => ({ state: `QUERY_STATE_${state}`, ...members }) as QueryRun;

test("a run ends by success, failure and cancelation", () => {
  const states = ["READY", "PLANNING", "RUNNING", "STREAMING_RESULTS", "SUCCESS", "FAILED", "CANCELED", "OTHER"];
  expect(states.filter((state) => isFinal(`QUERY_STATE_${state}`))).toEqual(["SUCCESS", "FAILED", "CANCELED"]);
  expect(isFinal("toString")).toBe(false);
});

test("a run that failed is an error with its reason", () => {
  const success = run("SUCCESS");
  expect(requireSuccess(success, "r")).toBe(success);
  const failure = run("FAILED", { errorName: "X", errorMessage: "no table", errorData: { a: 1 } });
  expect(() => requireSuccess(failure, "r")).toThrow(
    expect.objectContaining({ kind: "failed", message: "no table", queryRunId: "r", errorName: "X", data: { a: 1 } }),
  );
  const bare = run("FAILED", { errorName: null, errorMessage: null, errorData: null });
  expect(() => requireSuccess(bare, "r")).toThrow(
    expect.objectContaining({ message: "query run r failed", errorName: undefined, data: undefined }),
  );
  expect(() => requireSuccess(run("CANCELED"), "r")).toThrow(
    expect.objectContaining({ kind: "canceled", message: "query run r canceled" }),
  );
});

describe("an outage", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Waits after an outage of so many milliseconds. Returns the pause, and by how much the start of the outage moved. */
  async function waited(outageMs: number, outageTimeoutMs: number) {
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    const since = performance.now() - outageMs;
    const error = new QuernError("http", "HTTP 502");
    const moved = await awaitService(
      { outageTimeoutMs, sleep } as unknown as Client,
      error,
      "r",
      since,
      AbortSignal.abort(),
    );
    return { pause: pauses[0], moved: since - moved };
  }

  it("has pauses of 100 ms and a quarter of its time, up to 10 s and up to its limit", async () => {
    expect(await waited(0, 60_000)).toEqual({ pause: 100, moved: 100 });
    expect(await waited(4_000, 60_000)).toEqual({ pause: 1_100, moved: 1_100 });
    expect(await waited(50_000, 600_000)).toEqual({ pause: 10_000, moved: 10_000 });
    expect(await waited(40_000, 45_000)).toEqual({ pause: 5_000, moved: 5_000 });
  });

  it("ends at its limit with an error of the network that names the run", async () => {
    await expect(waited(5_000, 5_000)).rejects.toMatchObject({
      kind: "network",
      message: 'HTTP 502; failing for 5000 ms; call resumeQuery(client, "r")',
    });
  });
});
