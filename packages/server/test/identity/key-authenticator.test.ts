import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listKeys, revokeKey, rotateKey } from "@quern/server/administration";
import { expect, it } from "vitest";
import { ensureFirstKey } from "../../src/identity/api-key.ts";
import { countFailedCredentials } from "../../src/identity/failed-credentials.ts";
import { createKeyAuthenticator } from "../../src/identity/key-authenticator.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { createCommits } from "../../src/sqlite/group-commit.ts";
import { createSqliteKeyStore } from "../../src/sqlite/key-store.ts";
import { noFlush } from "../../src/sqlite/log-flush.ts";
import { createTestClock, idleKind, startServer } from "../fixture.ts";
import { caller, callWith } from "./callers.ts";

it("accepts a valid key although its last use cannot be stored, and logs the failure once a minute", async () => {
  const clock = createTestClock();
  const database = openDatabase(":memory:");
  const keys = createSqliteKeyStore(database, createCommits(database, noFlush), clock.now);
  await ensureFirstKey({ keys, isShared: false }, "a key");
  database.exec("CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT raise(ABORT, 'full'); END");
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const { authenticate } = createKeyAuthenticator(keys, countFailedCredentials({}, clock), clock, log);
  const call = async () => {
    const answer = await authenticate(new Headers({ "x-api-key": "a key" }));
    await new Promise(setImmediate);
    return answer;
  };
  const counts: number[] = [];
  for (const ms of [0, 59_999, 1, 59_999, 1]) {
    clock.advance(ms);
    expect(await call()).toMatchObject({ userId: "user_first" });
    counts.push(logged.length);
  }
  expect(counts).toEqual([1, 1, 2, 2, 3]);
  expect(logged).toEqual(
    Array(3).fill(expect.stringMatching(/^the last use of key key_\w+ could not be stored: Error: full$/)),
  );
  database.close();
});

it("slows the refused keys of an address, but not its valid keys nor those of others", async () => {
  const clock = createTestClock(Date.now());
  await using server = await startServer({
    kind: idleKind,
    clock,
    trustedProxy: true,
    limits: { maxFailedKeysPerMinute: 3 },
  });
  const { key, keyId } = await caller(server, { user: "ann" });
  const answer = async (apiKey: string, address: string) => {
    const credential = { "x-api-key": apiKey, "x-forwarded-for": address };
    const response = await callWith(server.url, credential, {
      jsonrpc: "2.0",
      id: 1,
      method: "listQueryRuns",
      params: [{}],
    });
    return [response.status, response.headers.get("retry-after")];
  };
  for (const wrong of ["a", "b", "c"]) expect(await answer(wrong, "2001:db8::1")).toEqual([401, null]);
  expect(await answer("d", "2001:db8::2")).toEqual([429, "20"]);
  expect(await answer("a", "2001:db8:0:1::1")).toEqual([401, null]);
  expect(await answer(key, "2001:db8::1")).toEqual([200, null]);
  const noKey = await callWith(server.url, { "x-forwarded-for": "2001:db8::1" }, {});
  expect(noKey.status).toBe(401);
  await revokeKey(server.dataDir, keyId);
  expect(await answer(key, "2001:db8::1")).toEqual([429, "20"]);
  clock.advance(20_000);
  expect(await answer(key, "2001:db8::1")).toEqual([401, null]);
  const audit = await readFile(join(server.dataDir, "audit.jsonl"), "utf8");
  expect(audit.match(/"action":"access.refused",.*"httpStatus":429/g)).toHaveLength(2);
});

it("accepts a key from its networks only", async () => {
  await using server = await startServer({ kind: idleKind, trustedProxy: true });
  const { key, keyId } = await caller(server, { user: "ann", networks: ["10.0.0.0/8", "::1/128"] });
  const statusFrom = async (address: string, apiKey = key) => {
    const credential = { "x-api-key": apiKey, "x-forwarded-for": address };
    return (await callWith(server.url, credential, { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] }))
      .status;
  };
  const statuses = ["10.9.8.7", "::ffff:10.9.8.7", "0:0::1", "11.0.0.1", "::2", "nonsense"].map((each) =>
    statusFrom(each),
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403, 403, 403]);
  const rotated = await rotateKey(server.dataDir, keyId);
  expect([await statusFrom("10.0.0.1", rotated.key), await statusFrom("11.0.0.1", rotated.key)]).toEqual([200, 403]);
  const [listed] = (await listKeys(server.dataDir)).filter(({ id }) => id === keyId);
  expect(listed?.networks).toEqual(["10.0.0.0/8", "::1/128"]);
});
