import { EngineLostError, StatementError, UnavailableError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { isDiskFull } from "../../src/common/disk-full.ts";
import { toMethodError } from "../../src/common/method-errors.ts";
import { untilAvailable } from "../../src/common/unavailable.ts";

const failure = (members: object) => Object.assign(new Error("failed"), members);

it.each([
  ["SQLITE_FULL", failure({ errcode: 13 }), true],
  ["an extended code of SQLITE_FULL", failure({ errcode: 13 + 3 * 256 }), true],
  ["SQLITE_IOERR_SHMSIZE", failure({ errcode: 4_874 }), true],
  ["SQLITE_IOERR_SHMOPEN", failure({ errcode: 4_618 }), false],
  ["SQLITE_IOERR", failure({ errcode: 10 }), false],
  ["SQLITE_BUSY with a code", failure({ errcode: 5, code: "ENOSPC" }), false],
  ["ENOSPC", failure({ code: "ENOSPC" }), true],
  ["EDQUOT", failure({ code: "EDQUOT" }), true],
  ["EIO", failure({ code: "EIO" }), false],
  ["no code", failure({}), false],
  ["no error", { code: "ENOSPC" }, false],
])("tells if an error is that of a full disk: %s", (_, error, isFull) => {
  expect(isDiskFull(error)).toBe(isFull);
});

const lost = new EngineLostError("lost");
const refused = (name: string) => new StatementError({ name, message: "x", data: { category: "DATA_SOURCE" } });

it.each<[string, Error, string | undefined, object]>([
  ["a full disk", failure({ code: "ENOSPC" }), undefined, { code: -32_177, data: { retryAfterMs: 10_000 } }],
  ["a store", new UnavailableError("away"), "cars", { code: -32_178, data: { retryAfterMs: 2_000 } }],
  ["an engine", lost, "cars", { code: -32_178, data: { retryAfterMs: 2_000, dataSource: "cars" } }],
  ["a source", refused("DataSourceUnavailable"), "cars", { code: -32_178, data: { dataSource: "cars" } }],
])("tells a client of an outage of %s when to retry", (_, error, dataSource, declared) => {
  const retry = expect.stringMatching(/^(?:2|10)$/);
  const answer = { ...declared, httpStatus: 503, headers: { "retry-after": retry }, cause: error };
  expect(toMethodError(error, dataSource)).toMatchObject(answer);
});

it("changes no other error, and not the loss of an engine of no named source", () => {
  for (const error of [new Error("other"), refused("BinderError")]) expect(toMethodError(error, "cars")).toBe(error);
  for (const error of [lost, refused("DataSourceUnavailable")]) expect(toMethodError(error)).toBe(error);
});

it("repeats no call that failed for another reason, and none after the signal", async () => {
  const call = vi.fn(() => Promise.reject(new Error("broken")));
  await expect(untilAvailable(call, new AbortController().signal)).rejects.toThrow("broken");
  const away = vi.fn(() => Promise.reject(new UnavailableError("away")));
  await expect(untilAvailable(away, AbortSignal.abort())).rejects.toThrow("away");
  expect([call.mock.calls.length, away.mock.calls.length]).toEqual([1, 1]);
});
