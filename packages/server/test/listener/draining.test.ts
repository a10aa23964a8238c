import { expect, it } from "vitest";
import { apiKey, eventually, idleKind, startServer } from "../fixture.ts";
import { callWith } from "../identity/callers.ts";
import { connectRaw, headOf } from "./raw-client.ts";

it("answers calls while it drains, and shows that it does; a second close ends the delay", async () => {
  await using server = await startServer({ kind: idleKind, shutdownDelaySeconds: 3_600 });
  const ready = async () => {
    const { status, headers } = await fetch(`${server.url}/readyz`);
    return [status, headers.get("retry-after")];
  };
  expect(await ready()).toEqual([200, null]);
  const stopped = server.stop();
  expect(await ready()).toEqual([503, "1"]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.call("listQueryRuns", {})).toMatchObject({ queryRuns: [] });

  const hurried = server.stop();
  await Promise.all([stopped, hurried]);
  await expect(fetch(server.url)).rejects.toThrow();
});

it("closes by itself when the delay is over", async () => {
  await using server = await startServer({ kind: idleKind, shutdownDelaySeconds: 0.3 });
  let isStopped = false;
  const stopped = server.stop().then(() => {
    isStopped = true;
  });
  await server.call("listQueryRuns", {});
  expect(isStopped).toBe(false);
  await eventually(() => isStopped);
  await stopped;
});

it("answers calls that arrive while it closes with a retry, also without a key", async () => {
  await using server = await startServer({ kind: idleKind });
  const socket = await connectRaw(server.url);
  // A request without its whole body, whose response the closing server waits for.
  socket.write(`${headOf(9, { "x-api-key": apiKey })}{`);
  await server.call("listQueryRuns", {});
  const stopped = server.stop();
  const call = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };
  for (const credential of [{ "x-api-key": apiKey }, {}]) {
    const response = await callWith(server.url, credential, call);
    const { status, headers } = response;
    expect([status, headers.get("retry-after"), headers.get("connection")]).toEqual([503, "1", "close"]);
    expect(await response.json()).toMatchObject({
      error: { code: -32_603, message: "The service is shutting down; retry" },
    });
  }
  socket.destroy();
  await stopped;
});
