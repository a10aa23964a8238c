import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpReply } from "../../src/transport/transport.ts";
import { isTransient, isUnprocessed, retryDelayMs } from "../../src/wire/retry.ts";

const reply = (status: number, headers: Record<string, string> = {}, code?: string): HttpReply =>
  ({
    status,
    text: "",
    headers: { get: (name: string) => headers[name] ?? null },
    cause: code && { code },
  }) as HttpReply;

describe("a transient fault", () => {
  it.each([0, 408, 429, 502, 503, 504, 599])("has the status %i", (status) => {
    expect(isTransient(reply(status))).toBe(true);
  });

  it.each([200, 400, 401, 403, 407, 409, 413, 428, 430, 500, 501])("does not have the status %i", (status) => {
    expect(isTransient(reply(status))).toBe(false);
  });
});

describe("a request that the server has not processed", () => {
  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"])("had no connection: %s", (code) => {
    expect(isUnprocessed(reply(0, {}, code))).toBe(true);
  });

  it.each(["ECONNRESET", "NOT_ECONNREFUSED", "EAI_AGAINST", undefined])("may have been sent: %s", (code) => {
    expect(isUnprocessed(reply(0, { "retry-after": "1" }, code))).toBe(false);
  });

  it.each([400, 401, 407, 409, 429, 499])("was refused with %i", (status) => {
    expect(isUnprocessed(reply(status))).toBe(true);
  });

  it.each([200, 399, 408, 500, 502, 503, 504])("may have been processed before %i", (status) => {
    expect(isUnprocessed(reply(status))).toBe(false);
  });

  it("may be sent again after a 503 with retry-after, and after no other", () => {
    expect(isUnprocessed(reply(503, { "retry-after": "0" }))).toBe(true);
    for (const status of [408, 500, 502, 504]) expect(isUnprocessed(reply(status, { "retry-after": "1" }))).toBe(false);
  });

  it("is recognized without headers, too", () => {
    expect([isUnprocessed({ status: 503, text: "" }), isUnprocessed({ status: 404, text: "" })]).toEqual([false, true]);
  });
});

describe("the time before the next attempt", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const after = (value: string) => retryDelayMs(reply(503, { "retry-after": value }), 0);

  it("is the time that the server asks for", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
    expect([after("0"), after("1.5"), after("120")]).toEqual([0, 1_500, 120_000]);
    expect(after(new Date(Date.UTC(2026, 0, 1, 0, 0, 7)).toUTCString())).toBe(7_000);
  });

  it.each([undefined, "", "soon", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"])(
    "doubles to five seconds, with jitter, where the server says %s",
    (value) => {
      vi.spyOn(Math, "random").mockReturnValue(0.5);
      const headers = value === undefined ? {} : { "retry-after": value };
      const times = [0, 1, 2, 3, 4, 5, 30].map((tries) => retryDelayMs(reply(503, headers), tries));
      // An empty value reads as the number 0.
      expect(times).toEqual(value === "" ? Array(7).fill(0) : [100, 200, 400, 800, 1_600, 2_500, 2_500]);
    },
  );
});
