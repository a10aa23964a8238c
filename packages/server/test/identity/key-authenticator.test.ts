import { expect, it } from "vitest";
import { ensureFirstKey } from "../../src/identity/api-key.ts";
import { createKeyAuthenticator } from "../../src/identity/key-authenticator.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createSqliteKeyStore } from "../../src/store/sqlite/key-store.ts";
import { createTestClock } from "../fixture.ts";

it("accepts a valid key although its last use cannot be stored, and logs the failure once a minute", async () => {
  const clock = createTestClock();
  const database = openDatabase(":memory:");
  const keys = createSqliteKeyStore(database, clock.now);
  await ensureFirstKey(keys, "a key");
  database.exec("CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT raise(ABORT, 'full'); END");
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const { authenticate } = createKeyAuthenticator(keys, clock, log);
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
