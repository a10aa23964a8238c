import { describe, expect, it } from "vitest";
import { checkOptions } from "../../src/wire/check-options.ts";

const types = {
  apiKey: "string function",
  timeoutMs: "number",
  fetch: "function",
  batch: "boolean",
  headers: "object",
};
const check = (options: object) => () => checkOptions("createClient", options, types);

describe("options", () => {
  it.each<object>([
    {},
    { apiKey: "a", timeoutMs: 5, batch: false, headers: {} },
    { apiKey: () => "a", timeoutMs: undefined },
    { namespaces: [], when: () => undefined, reset: () => undefined },
    { toString: () => "a" },
    { timeoutMs: 5, timeout: 6 },
  ])("%j are accepted", (options) => {
    expect(check(options)).not.toThrow();
  });

  it.each([
    [{ apiKey: 5 }, "createClient: invalid apiKey: expected string or function, got number"],
    [{ timeoutMs: "5" }, "createClient: invalid timeoutMs: expected number, got string"],
    [{ timeoutMs: Number.NaN }, "createClient: invalid timeoutMs: expected number, got NaN"],
    [{ headers: null }, "createClient: invalid headers: expected object, got null"],
    [{ batch: null }, "createClient: invalid batch: expected boolean, got null"],
    [{ timeout: 5 }, "createClient: unknown option: timeout; did you mean timeoutMs?"],
    [{ TIMEOUTMS: 5 }, "createClient: unknown option: TIMEOUTMS; did you mean timeoutMs?"],
    [{ apikey: "a" }, "createClient: unknown option: apikey; did you mean apiKey?"],
    [{ batches: true }, "createClient: unknown option: batches; did you mean batch?"],
    [{ fetcher: () => undefined }, "createClient: unknown option: fetcher; did you mean fetch?"],
  ])("%j are refused", (options, message) => {
    expect(check(options)).toThrow(new TypeError(message));
  });

  it.each<object>([{ timeout: "5" }, { batches: 1 }, { ms: 5 }, { time: 5, timeoutMs: 1 }])(
    "%j are not taken for another option: its name, its type or its absence differs",
    (options) => {
      expect(check(options)).not.toThrow();
    },
  );

  it("the nearest of several names is meant", () => {
    const names = { outageTimeoutMs: "number", timeoutMs: "number" };
    expect(() => checkOptions("a", { timeoutMS_: 5 }, names)).toThrow("did you mean timeoutMs?");
    expect(() => checkOptions("a", { outageTimeout: 5 }, names)).toThrow("did you mean outageTimeoutMs?");
  });
});
