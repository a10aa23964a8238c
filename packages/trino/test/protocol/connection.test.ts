import { EngineLostError } from "@quern/adapter";
import { expect, it } from "vitest";
import { connect, foreignHost, isGone, originOf } from "../../src/protocol/connection.ts";
import { type Reply, startCoordinator } from "../coordinator.ts";
import { never, sourceAt, withoutSecrets } from "../fixture.ts";

/** Sends a request to a coordinator that answers with this. */
async function requested(reply: Reply, path = "/v1/query") {
  await using trino = await startCoordinator(() => reply);
  const connection = await connect(sourceAt(`trino://reader@${trino.host}`), "someone", withoutSecrets.secret);
  const headers = { "x-trino-user": "forged", "x-other": "a" };
  const { status } = await connection.request({
    method: "GET",
    url: `${trino.origin}${path}`,
    headers,
    signal: never,
    retryMs: 0,
  });
  return { status, headers: trino.received[0]?.headers };
}

const failed = (reply: Reply) => requested(reply).catch((error: unknown) => error);

it("sends the user in place of one that the request names", async () => {
  expect((await requested({ status: 200 })).headers).toMatchObject({
    "x-trino-user": "someone",
    "x-trino-source": "quern",
    "user-agent": "quern",
    "x-other": "a",
  });
});

it.each([200, 204, 299, 404, 410])("returns a response with the status %i", async (status) => {
  expect((await requested({ status })).status).toBe(status);
});

it.each([
  [300, "Trino answered with a redirect"],
  [399, "Trino answered with a redirect"],
  [401, "Trino refused the user or password of the data source lake; correct them."],
  [400, "Trino answered with the HTTP status 400: first line."],
  [499, "Trino answered with the HTTP status 499: first line."],
])("fails with the status %i: %s", async (status, message) => {
  expect(await failed({ status, body: "\n first line\nsecond" })).toMatchObject({
    name: "StatementError",
    message: expect.stringContaining(message),
  });
});

it("loses the engine with a status from 500, without HTML and with the start of a long line", async () => {
  const lost = (reason: string) => new EngineLostError(`Trino answered with the HTTP status 500${reason}.`);
  expect(await failed({ status: 500, body: "<html>\nx" })).toEqual(lost(""));
  expect(await failed({ status: 500, body: " \n" })).toEqual(lost(""));
  expect(await failed({ status: 500, body: "x".repeat(301) })).toEqual(lost(`: ${"x".repeat(300)}`));
});

it("knows the status of a query that is gone, and the origin of a URL", () => {
  expect([404, 410, 200, 403, 500].map(isGone)).toEqual([true, true, false, false, false]);
  expect(originOf("https://a.example.org/b")).toBe("https://a.example.org");
  expect(originOf("/b")).toBeUndefined();
  expect(foreignHost("/b", "https://a").message).toMatch(
    /^Trino refers to an invalid address, which is not https:\/\/a /,
  );
});
