import { StatementError, UnavailableError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { isDiskFull, storageFull } from "../../src/common/disk-full.ts";
import { unavailableToMethodError, untilAvailable } from "../../src/common/unavailable.ts";
import type { MethodHandlers } from "../../src/generated/handlers.ts";
import { withOutageErrors } from "../../src/handlers/outage.ts";
import type { Context } from "../../src/handlers/service.ts";

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

it("tells a client of a full disk when to retry", () => {
  const cause = failure({ code: "ENOSPC" });
  expect(storageFull(cause)).toMatchObject({
    data: { retryAfterMs: 10_000 },
    httpStatus: 503,
    headers: { "retry-after": "10" },
    cause,
  });
  expect("cause" in storageFull()).toBe(false);
});

it("tells a client of a store that is away when to retry, and changes no other error", () => {
  const away = new UnavailableError("away");
  expect(unavailableToMethodError(away)).toMatchObject({
    data: { retryAfterMs: 2_000 },
    httpStatus: 503,
    headers: { "retry-after": "2" },
    cause: away,
  });
  const other = new Error("other");
  expect(unavailableToMethodError(other)).toBe(other);
});

/** Error that a client gets for an error of a handler. */
async function answered(error: unknown): Promise<unknown> {
  const handlers = { getQueryRun: () => Promise.reject(error) } as unknown as MethodHandlers<Context>;
  const { getQueryRun } = withOutageErrors(handlers);
  return Promise.resolve(getQueryRun({ queryRunId: "run" }, {} as Context)).catch((thrown: unknown) => thrown);
}

it("answers a call with the outage that made it fail", async () => {
  const badSql = new StatementError({ name: "BinderError", message: "bad", data: { category: "USER" } });
  const full = failure({ code: "ENOSPC" });
  expect(await answered(new UnavailableError("away"))).toMatchObject({ data: { retryAfterMs: 2_000 } });
  expect(await answered(full)).toMatchObject({ data: { retryAfterMs: 10_000 }, cause: full });
  expect(await answered(badSql)).toBe(badSql);
});

it("repeats no call that failed for another reason, and none after the signal", async () => {
  const call = vi.fn(() => Promise.reject(new Error("broken")));
  await expect(untilAvailable(call, new AbortController().signal)).rejects.toThrow("broken");
  const away = vi.fn(() => Promise.reject(new UnavailableError("away")));
  await expect(untilAvailable(away, AbortSignal.abort())).rejects.toThrow("away");
  expect([call.mock.calls.length, away.mock.calls.length]).toEqual([1, 1]);
});
