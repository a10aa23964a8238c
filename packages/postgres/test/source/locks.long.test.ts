import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { execute } from "../store/fixture.ts";
import { becomes, describeOnSource, openParts, type Parts, sourceOf, statementOf } from "./fixture.ts";

await describeOnSource("a table of PostgreSQL that another session has locked", (postgres) => {
  let parts: Parts;
  let locker: pg.Client;
  let deadline: NodeJS.Timeout;
  beforeAll(async () => {
    await postgres.run("CREATE TABLE orders (id int)");
    parts = await openParts();
    locker = new pg.Client(postgres.url);
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE orders");
    // Later than the service gives up a source that does not answer.
    deadline = setTimeout(() => void locker.query("ROLLBACK"), 40_000);
  });
  afterAll(async () => {
    clearTimeout(deadline);
    await locker.end();
    await parts.close();
  });

  /** Waits until a number of other connections wait for the table. */
  async function becomesWaitedFor(count: number): Promise<void> {
    const waiting = "SELECT pid FROM pg_locks WHERE relation = 'orders'::regclass AND NOT granted";
    await becomes(async () => expect(await execute(postgres.url, waiting)).toHaveLength(count));
  }

  it("fails a statement that waits for it, and keeps no connection of a canceled one", async () => {
    const ended: string[] = [];
    async function outcomeOf(name: string, signal: AbortSignal): Promise<unknown> {
      const statement = await statementOf(parts, sourceOf(postgres), "SELECT id FROM orders");
      const begun = parts.kind.begin(statement, signal).finally(() => ended.push(name));
      return begun.then(({ release }) => release()).catch((error: unknown) => error);
    }
    const patient = outcomeOf("patient", new AbortController().signal);
    await becomesWaitedFor(1);
    const abort = new AbortController();
    const canceled = outcomeOf("canceled", abort.signal);
    await becomesWaitedFor(2);
    abort.abort(new Error("the run was canceled"));
    expect(await canceled).toMatchObject({ message: "the run was canceled" });
    expect(ended).toEqual(["canceled"]);
    await becomesWaitedFor(1);
    expect(await patient).toMatchObject({
      failure: { name: "LockNotAvailable", data: { category: "RESOURCE", retryable: true } },
    });
    await becomesWaitedFor(0);
  });
});
