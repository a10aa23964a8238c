import { describe, expect, it } from "vitest";
import {
  AuthError,
  aboutRun,
  NetworkError,
  StoppedError,
  UsageError,
  withUsageErrors,
} from "../../src/errors/cli-error.ts";

class OwnError extends Error {}

it("an error has the name of its class", () => {
  const errors = [
    new UsageError("a"),
    new AuthError("a"),
    new NetworkError("a"),
    new StoppedError("SIGINT", "a", "run"),
  ];
  expect(errors.map(({ name }) => name)).toEqual(["UsageError", "AuthError", "NetworkError", "StoppedError"]);
});

describe("the run of an error", () => {
  it("is added to an error without a run", () => {
    const error = new Error("lost");
    expect(aboutRun(error, "run_1")).toBe(error);
    expect(error).toHaveProperty("queryRunId", "run_1");
  });

  it("is not replaced in an error that has one", () => {
    expect(aboutRun(new StoppedError("SIGINT", "stopped", "run_1"), "run_2")).toHaveProperty("queryRunId", "run_1");
  });

  it("is not added if there is no run, or no error", () => {
    expect(aboutRun(new Error("lost"), undefined)).not.toHaveProperty("queryRunId");
    expect(aboutRun("lost", "run_1")).toBe("lost");
    expect(aboutRun(undefined, undefined)).toBeUndefined();
  });
});

describe("an error that the user can correct", () => {
  it.each([
    [
      "thrown",
      () => {
        throw new OwnError("no such key");
      },
    ],
    ["rejected", () => Promise.reject(new OwnError("no such key"))],
  ] as const)("is a usage error if it is %s", async (_, perform) => {
    await expect(withUsageErrors(OwnError, perform)).rejects.toEqual(new UsageError("no such key"));
    await expect(withUsageErrors(OwnError, perform)).rejects.toBeInstanceOf(UsageError);
  });

  it("is of the given class alone", async () => {
    const other = new Error("disk I/O error");
    await expect(withUsageErrors(OwnError, () => Promise.reject(other))).rejects.toBe(other);
    expect(await withUsageErrors(OwnError, () => 5)).toBe(5);
  });
});
