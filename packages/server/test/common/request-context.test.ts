import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { addressOf, noteRequestId, readHeaders, requestIdOf } from "../../src/common/request-context.ts";
import { bearerToken } from "../../src/identity/authentication.ts";
import { createHealthRoutes, type HealthRoutesOptions } from "../../src/telemetry/health-routes.ts";

const requestOf = (headers: Record<string, string>, remoteAddress?: string) =>
  ({
    headers: { ...headers },
    socket: { remoteAddress },
    method: "GET",
    url: "/metrics",
  }) as unknown as IncomingMessage;
const headersOf = (headers: IncomingMessage["headers"]) => ({
  get: (name: string) => String(headers[name] ?? "") || null,
});

describe("the address of a caller", () => {
  const addressFrom = (trustedProxy: boolean, headers: Record<string, string>, remoteAddress?: string) =>
    addressOf(readHeaders(requestOf(headers, remoteAddress), trustedProxy));

  it.each<[string, boolean, Record<string, string>, string | undefined, string]>([
    ["of the connection", false, {}, "192.0.2.1", "192.0.2.1"],
    ["of the connection, where no proxy is trusted", false, { "x-forwarded-for": "6.6.6.6" }, "192.0.2.1", "192.0.2.1"],
    ["that the proxy saw last", true, { "x-forwarded-for": "6.6.6.6, 192.0.2.7 " }, "192.0.2.1", "192.0.2.7"],
    [
      "that the proxy saw, of many",
      true,
      { "x-forwarded-for": "6.6.6.6, 7.7.7.7, 192.0.2.7" },
      "192.0.2.1",
      "192.0.2.7",
    ],
    ["of the connection, where the proxy says none", true, {}, "192.0.2.1", "192.0.2.1"],
    ["unknown where the connection is gone", false, {}, undefined, "unknown"],
    ["not the one that it says itself", false, { "x-quern-address": "6.6.6.6" }, "192.0.2.1", "192.0.2.1"],
  ])("is that %s", (_, trustedProxy, headers, remoteAddress, address) => {
    expect(addressFrom(trustedProxy, headers, remoteAddress)).toBe(address);
  });

  it("is unknown for a call that came by no connection", () => {
    expect(addressOf(headersOf({}))).toBe("unknown");
  });
});

describe("the id of a request", () => {
  const idOf = (given: string) => {
    const request = requestOf({ "x-request-id": given });
    const sent = new Map<string, unknown>();
    noteRequestId(request, {
      setHeader: (name: string, value: string) => sent.set(name, value),
    } as unknown as ServerResponse);
    expect(sent.get("x-request-id")).toBe(request.headers["x-request-id"]);
    return sent.get("x-request-id");
  };

  it.each(["a", "x".repeat(128), "Root=1-6789:ab/c+d.e_f"])("is the caller's: %s", (given) => {
    expect(idOf(given)).toBe(given);
  });

  it.each(["", " a", "a ", "a b", "\u00e9a", "a\u00e9", "x".repeat(129)])("is another one in place of %j", (given) => {
    expect(idOf(given)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

it("is read from the headers, and is none for a call that did not come over HTTP", () => {
  expect([requestIdOf(headersOf({ "x-request-id": "req-1" })), requestIdOf(headersOf({}))]).toEqual([
    "req-1",
    undefined,
  ]);
});

describe("the token of a request", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER   a b", "a b"],
    ["Bearer", undefined],
    ["Bearerabc", undefined],
    ["Basic Bearer abc", undefined],
    ["", undefined],
  ])("of %j is %j", (authorization, token) => {
    expect(bearerToken(headersOf({ authorization }))).toBe(token);
  });

  it("is none without the header", () => {
    expect(bearerToken(headersOf({}))).toBeUndefined();
  });
});

describe("metrics for the machine alone", () => {
  const isAnswered = (
    access: HealthRoutesOptions["metricsAccess"],
    remoteAddress?: string,
    headers: Record<string, string> = {},
  ) => {
    const metrics = { text: () => new Promise<string>(() => {}) } as Parameters<
      typeof createHealthRoutes
    >[0]["metrics"];
    const doors = createHealthRoutes({ metrics, metricsAccess: access, readiness: async () => ({ status: "ready" }) });
    return doors(requestOf(headers, remoteAddress), {} as ServerResponse);
  };

  it.each(["127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "::1"])("are given to %s", (address) => {
    expect(isAnswered("loopback", address)).toBe(true);
  });

  it.each(["192.0.2.1", "10.127.0.1", "::ffff:10.127.0.1", "::2", "1270.0.0.1", undefined])(
    "are not given to %s",
    (address) => {
      expect(isAnswered("loopback", address)).toBe(false);
      expect(isAnswered("none", address)).toBe(false);
      expect(isAnswered("all", address)).toBe(true);
    },
  );

  it.each(["x-forwarded-for", "forwarded"])("are not given through a proxy of the machine, by %s", (header) => {
    expect(isAnswered("loopback", "127.0.0.1", { [header]: "127.0.0.1" })).toBe(false);
  });
});
