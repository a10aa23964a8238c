import document from "@quern/spec/openrpc.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { callMethod, listed, provocationOf, useProvocations } from "./error-provocations.ts";

const httpStatus: Readonly<Record<string, number>> = {
  AuthorizationError: 401,
  RateLimited: 429,
  StorageFull: 503,
  StoreUnavailable: 503,
};

const declared: Readonly<Record<string, { readonly code: number; readonly data?: object }>> =
  document.components.errors;

describe("the service answers", () => {
  useProvocations();

  it.each(listed)("%s with %s", async (method, errorName) => {
    const { status, error } = await provocationOf(method, errorName)(method, callMethod);
    expect(error).toMatchObject({ code: declared[errorName]?.code, message: expect.stringMatching(/./) });
    expect(status).toBe(httpStatus[errorName] ?? 200);
    // The document's example says which members the data has.
    expect(Object.keys(error.data ?? {})).toEqual(expect.arrayContaining(Object.keys(declared[errorName]?.data ?? {})));
  });
});
