import { expect, it } from "vitest";
import { createTurns } from "../../src/processes/turns.ts";

const patient = new AbortController().signal;
/** All that was to happen at once has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it("lets in as many as there are places, the tenants by turns", async () => {
  const turns = createTurns(2);
  const entered: string[] = [];
  const leave: (() => void)[] = [];
  for (const tenant of ["loud", "loud", "loud", "loud", "quiet", "late", "loud"])
    void turns.take(tenant, patient).then((give) => {
      entered.push(tenant);
      leave.push(give);
    });
  await settled();
  expect(entered).toEqual(["loud", "loud"]);
  for (let next = 0; next < 5; next += 1) {
    leave[next]?.();
    leave[next]?.(); // a place is given back once
    await settled();
    expect(entered).toHaveLength(next + 3);
  }
  expect(entered.slice(2)).toEqual(["loud", "quiet", "late", "loud", "loud"]);
});

it("passes over who has given up, and keeps the place", async () => {
  const turns = createTurns(1);
  const give = await turns.take("a", patient);
  const caller = new AbortController();
  const gone = turns.take("b", caller.signal);
  const next = turns.take("c", patient);
  caller.abort(new Error("gone"));
  await expect(gone).rejects.toThrow("gone");
  give();
  (await next)();
  (await turns.take("d", patient))();
  await expect(turns.take("b", caller.signal)).rejects.toThrow("gone");
});
