import { UnavailableError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { untilAvailable } from "../../src/common/unavailable.ts";
import { replacePauses } from "../pauses.ts";

const away = new UnavailableError("away");

it("repeats a call after pauses that double up to two seconds", async () => {
  const pauses = replacePauses(async () => {});
  const { signal } = new AbortController();
  let left = 7;
  const call = async () => {
    if (left-- > 0) throw away;
    return "answer";
  };
  expect(await untilAvailable(call, signal)).toBe("answer");
  expect(pauses.mock.calls.map(([ms]) => ms)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  for (const [, , options] of pauses.mock.calls) expect(options?.signal).toBe(signal);
});

it("ends a pause when the signal is aborted, with the error of the last attempt", async () => {
  const controller = new AbortController();
  replacePauses(async () => {
    controller.abort();
    throw controller.signal.reason;
  });
  const call = vi.fn(() => Promise.reject(away));
  await expect(untilAvailable(call, controller.signal)).rejects.toBe(away);
  expect(call).toHaveBeenCalledTimes(1);
});
