import { submission } from "@quern/adapter/contract";
import { createRequest, createRun } from "@quern/query-run/record";
import { expect, it } from "vitest";
import type { Database, Row, Transaction } from "../../src/store/database.ts";
import { createNotices } from "../../src/store/notices.ts";
import { createSubmit } from "../../src/store/submissions.ts";

/**
 * Transaction whose statements are answered later, all that were sent meanwhile at once.
 * @param failures Errors of statements, by words of their texts.
 */
function createTransaction(failures: Readonly<Record<string, Error>> = {}): {
  readonly transaction: Transaction;
  readonly roundTrips: readonly string[][];
} {
  const roundTrips: string[][] = [];
  let answered: Promise<void> | undefined;
  const sent = async (text: string): Promise<readonly Row[]> => {
    if (answered === undefined) {
      roundTrips.push([]);
      answered = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        answered = undefined;
      });
    }
    roundTrips.at(-1)?.push(text.trim());
    await answered;
    for (const [words, error] of Object.entries(failures)) if (text.includes(words)) throw error;
    if (text.includes("INSERT INTO requests")) return [{}];
    return text.includes("now_ms") ? [{ now: 1 }] : [];
  };
  const lastRows: Transaction["lastRows"] = (text) => sent(`${text}; COMMIT`);
  return { transaction: { rows: sent, rowsOnce: sent, lastRows, rollback() {} }, roundTrips };
}

it("stores a new run in two round trips, of which the second one commits", async () => {
  const { transaction, roundTrips } = createTransaction();
  const database: Pick<Database, "transaction"> = { transaction: (work) => work(transaction) };
  const notices = createNotices(database as Database, () => {}); // only transactions are made
  const outcome = await createSubmit(database as Database, notices)(submission());
  expect(outcome).toMatchObject({ outcome: "accepted", repeated: false });
  expect(roundTrips.map((statements) => statements.length)).toEqual([3, 3]);
  expect(roundTrips[0]?.[0]).toContain("pg_advisory_xact_lock");
  expect(roundTrips[1]?.at(-1)).toMatch(/INSERT INTO requests.*COMMIT$/s);
});

it("fails with the first error of the statements that store a new run", async () => {
  const error = new Error("no space");
  const aborted = new Error("the transaction is aborted");
  const { transaction } = createTransaction({ "INSERT INTO runs": error, "INSERT INTO requests": aborted });
  const database: Pick<Database, "transaction"> = { transaction: (work) => work(transaction) };
  const notices = createNotices(database as Database, () => {}); // only transactions are made
  await expect(createSubmit(database as Database, notices)(submission())).rejects.toBe(error);
});

it("refuses to repeat a request whose run or statement is missing", async () => {
  const of = submission({}, { idempotency: { apiKeyId: "caller", key: "k", bodyHash: "body" } });
  const run = createRun(of.run, 0);
  const request = createRequest({ ...of.request, userId: "ann", tags: {}, idempotencyKey: "k" }, run, true, 0);
  const earlier = { now: 1, request: JSON.stringify(request), body_hash: "body" };
  const stored = { record: JSON.stringify(run), parameters: null, version: 1 };
  for (const [rows, message] of [
    [[], `request ${request.id} has no run`],
    [[stored], `run ${run.id} has no statement`],
  ] as const) {
    const answers: (readonly Row[])[] = [[earlier], rows, []];
    const database = { rows: async () => answers.shift() ?? [] } as unknown as Database;
    const submitted = createSubmit(
      database,
      createNotices(database, () => {}),
    )(of);
    await expect(submitted).rejects.toThrow(new Error(message));
  }
});
