import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createHealthRoutes, type HealthRoutesOptions } from "../../src/telemetry/health-routes.ts";

interface Asked {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string | undefined;
}

/** Returns the answer to a request; undefined if the route leaves it to others. */
async function answered(change: Partial<HealthRoutesOptions>, asked: Asked = {}) {
  const options: HealthRoutesOptions = {
    metrics: { text: async (format) => `metrics as ${format}` },
    metricsAccess: "loopback",
    readiness: async () => ({ status: "ready" }),
    ...change,
  };
  const { method = "GET", url = "/metrics", headers = { host: "localhost" } } = asked;
  const remoteAddress = "remoteAddress" in asked ? asked.remoteAddress : "127.0.0.1";
  const request = { method, url, headers, socket: { remoteAddress } };
  const sent: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const response = {
    req: request,
    writeHead: (...head: unknown[]) => sent.push(...head),
    end(text: unknown) {
      sent.push(text);
      ended.resolve();
    },
  };
  const route = createHealthRoutes(options);
  if (!route(request as unknown as IncomingMessage, response as unknown as ServerResponse)) return undefined;
  await ended.promise;
  return sent;
}

const json = { "content-type": "application/json", "cache-control": "no-store" };
const text = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };

it("answers /healthz and /readyz, also with parameters", async () => {
  expect(await answered({}, { url: "/healthz?a=1" })).toEqual([200, json, '{"status":"ok"}\n']);
  expect(await answered({}, { url: "/readyz" })).toEqual([200, json, '{"status":"ready"}\n']);
  const readiness = async () => ({ status: "unavailable", missing: ["store"] }) as const;
  const head = [503, { ...json, "retry-after": "1" }];
  const body = '{"status":"unavailable","missing":["store"]}\n';
  expect(await answered({ readiness }, { url: "/readyz" })).toEqual([...head, body]);
  expect(await answered({ readiness }, { url: "/readyz", method: "HEAD" })).toEqual([...head, undefined]);
});

it("leaves other paths and methods to other routes", async () => {
  for (const asked of [{ url: "/" }, { url: "/healthz/" }, { method: "POST", url: "/healthz" }, { method: "PUT" }])
    expect(await answered({}, asked)).toBeUndefined();
});

it.each([
  ["127.0.0.1", true],
  ["127.9.8.7", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.1", false],
  ["10.127.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["::2", false],
  [undefined, false],
])("serves metrics to the address %s with the access loopback: %s", async (remoteAddress, isServed) => {
  const expected = isServed ? [200, text, "metrics as text"] : undefined;
  expect(await answered({}, { remoteAddress })).toEqual(expected);
});

it("serves metrics with the access loopback to no request that was forwarded", async () => {
  for (const name of ["x-forwarded-for", "forwarded"])
    expect(await answered({}, { headers: { host: "localhost", [name]: "127.0.0.1" } })).toBeUndefined();
});

it("serves metrics to every address with the access all, and to none with the access none", async () => {
  const asked = { remoteAddress: "10.0.0.1", headers: { host: "evil.example", forwarded: "for=a" } };
  expect(await answered({ metricsAccess: "all" }, asked)).toEqual([200, text, "metrics as text"]);
  expect(await answered({ metricsAccess: "none" })).toBeUndefined();
});

it("refuses metrics under a host name that is not allowed", async () => {
  const refusal = [
    403,
    { "content-type": "text/plain", "cache-control": "no-store" },
    "Host not allowed: evil.example; add it to the setting allowedHosts.\n",
  ];
  expect(await answered({}, { headers: { host: "evil.example:80" } })).toEqual(refusal);
  const allowedHosts = ["evil.example"];
  expect(await answered({ allowedHosts }, { headers: { host: "evil.example:80" } })).toEqual([
    200,
    text,
    "metrics as text",
  ]);
  expect(await answered({}, { headers: {} })).toEqual([200, text, "metrics as text"]);
});

it("chooses the format that the client accepts, and answers HTTP 500 if the metrics cannot be read", async () => {
  const accept = "application/openmetrics-text";
  const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  expect(await answered({}, { headers: { accept } })).toEqual([
    200,
    { ...text, "content-type": openMetrics },
    "metrics as openMetrics",
  ]);
  const metrics = { text: () => Promise.reject(new Error("broken")) };
  expect(await answered({ metrics })).toEqual([500, json, '{"status":"failed"}\n']);
});
