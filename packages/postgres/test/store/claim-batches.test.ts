import type { ClaimedRun } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { createClaims } from "../../src/store/claim-batches.ts";
import type { Database, Transaction } from "../../src/store/database.ts";
import { type Claims, claimRuns } from "../../src/store/queue.ts";

vi.mock("../../src/store/queue.ts", () => ({ claimRuns: vi.fn() }));

const run = (id: number) => ({ run: { id } }) as unknown as ClaimedRun;

/** Claims runs of a queue whose transactions have these outcomes. Returns the owners of each transaction. */
function claiming(outcomes: readonly (Claims | Error)[]) {
  const left = [...outcomes];
  const batches: string[][] = [];
  vi.mocked(claimRuns).mockImplementation(async (_, leases) => {
    batches.push(leases.map(({ owner }) => owner));
    const next = left.shift() ?? { runs: [], isEmpty: true };
    if (next instanceof Error) throw next;
    return next;
  });
  const transaction = <T>(work: (queries: Transaction) => Promise<T>) => work({} as Transaction);
  const claim = createClaims({ urgent: { transaction } } as unknown as Database);
  return { batches, claim: (owner: string) => claim({ owner, ms: 1 }) };
}

it("shares a transaction among the claims that are made at once, and gives them the runs in their order", async () => {
  const { batches, claim } = claiming([{ runs: [run(1), run(2)], isEmpty: true }]);
  const claims = ["a", "b", "c"].map(claim);
  expect(await Promise.all(claims)).toEqual([run(1), run(2), undefined]);
  expect(batches).toEqual([["a", "b", "c"]]);
  expect(await claim("d")).toBeUndefined();
  expect(batches).toHaveLength(2);
});

it("claims at most 16 runs in a transaction, the others in the next one", async () => {
  const { batches, claim } = claiming([]);
  await Promise.all(Array.from({ length: 33 }, (_, number) => claim(String(number))));
  expect(batches.map(({ length }) => length)).toEqual([16, 16, 1]);
});

it("repeats the claims without a run first, as long as there may be more runs", async () => {
  const { batches, claim } = claiming([
    { runs: [run(1)], isEmpty: false },
    { runs: [], isEmpty: false },
    { runs: [run(2)], isEmpty: true },
  ]);
  const claims = ["a", "b"].map(claim);
  await Promise.resolve();
  const later = claim("c");
  expect(await Promise.all([...claims, later])).toEqual([run(1), run(2), undefined]);
  expect(batches).toEqual([
    ["a", "b"],
    ["b", "c"],
    ["b", "c"],
  ]);
});

it("fails the claims of a transaction that fails, and performs later ones", async () => {
  const away = new Error("away");
  const { claim } = claiming([away, { runs: [run(1)], isEmpty: true }]);
  const claims = ["a", "b"].map((owner) => claim(owner).catch((error: unknown) => error));
  expect(await Promise.all(claims)).toEqual([away, away]);
  expect(await claim("c")).toEqual(run(1));
});
