import { expect, it } from "vitest";
import { eventually, idleKind, startServer } from "../fixture.ts";

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
