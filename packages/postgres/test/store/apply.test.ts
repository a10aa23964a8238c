import { UnavailableError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { transition } from "@quern/query-run/transition";
import { expect, it } from "vitest";
import { createApply } from "../../src/store/apply.ts";
import type { Database, Row } from "../../src/store/database.ts";
import type { Notices } from "../../src/store/notices.ts";

const canceled = { type: "canceled" } as const;
const names = (count: number) => Array.from({ length: count }, (_, number) => `run_${number}`);

interface Applying {
  readonly unknown: string;
  /** The run that changes of a group skip. */
  readonly locked: string;
  /** The run that executes; the others wait. */
  readonly executing: string;
  readonly error: Error;
}

/** Database whose answers come one turn later. */
function applying({ unknown = "", locked = "", executing = "", error }: Partial<Applying> = {}) {
  const groups: (readonly string[])[] = [];
  const saves: (readonly string[])[] = [];
  const alone: string[] = [];
  const published: string[][] = [];
  let open = 0;
  let mostOpen = 0;
  const rowOf = (id: string): Row => {
    const waiting = createRun({ ...submission().run, id }, 0);
    const claimed = transition(waiting, { type: "claimed" }, 1);
    const { parameters: _, ...record } = id === executing && claimed.accepted ? claimed.run : waiting;
    return { id, record: JSON.stringify(record), parameters: null, version: 1, now: 5 };
  };
  async function rows(text: string, first: unknown, ...more: readonly unknown[]): Promise<readonly Row[]> {
    if (text.includes("ANY($1::text[])")) {
      const ids = first as readonly string[]; // as the statement has them
      groups.push(ids);
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise(setImmediate);
      if (error !== undefined) throw error;
      return ids.filter((id) => id !== unknown).map(rowOf);
    }
    if (text.includes("SKIP LOCKED")) {
      await new Promise(setImmediate);
      open -= 1;
      const ids = first as readonly string[]; // as the statement has them
      saves.push(ids);
      return ids.filter((id) => id !== locked).map((id) => ({ id }));
    }
    if (more.length > 0) return [{ version: 2 }];
    alone.push(String(first));
    return [rowOf(String(first))];
  }
  const publishRuns: Notices["publishRuns"] = (changes) => void published.push(changes.map(({ run }) => run.id));
  const apply = createApply({ rows } as unknown as Database, { publishRuns } as Notices);
  return { apply, groups, saves, alone, published, mostOpen: () => mostOpen };
}

it("applies 16 events in a group, and four groups at the same time", async () => {
  const { apply, groups, published, mostOpen } = applying();
  const outcomes = await Promise.all(names(100).map((id) => apply(id, canceled)));
  expect(groups.map(({ length }) => length)).toEqual([16, 16, 16, 16, 16, 16, 4]);
  expect(groups.flat()).toEqual(names(100));
  expect(mostOpen()).toBe(4);
  expect(outcomes.map((outcome) => outcome?.accepted && outcome.run.id)).toEqual(names(100));
  expect(published.flat()).toEqual(names(100));
});

it("applies two events of one run in different groups", async () => {
  const { apply, groups } = applying();
  await Promise.all([apply("a", canceled), apply("a", canceled), apply("b", canceled)]);
  expect(groups).toEqual([["a", "b"], ["a"]]);
});

it("saves a change of the size of the results once, apart from the other changes of its group", async () => {
  const { apply, saves, published } = applying({ executing: "a" });
  const committed = { type: "committed", attempt: 1, result: { columns: [], rowCount: 0, totalBytes: 1 } } as const;
  const outcomes = await Promise.all([apply("a", committed), apply("b", canceled), apply("c", canceled)]);
  expect(outcomes.map((outcome) => outcome?.accepted)).toEqual([true, true, true]);
  expect(saves).toEqual([["a"], ["b", "c"]]);
  expect(published).toEqual([["a"], ["b", "c"]]);
});

it("resolves an event of an unknown run, and one that is refused, without a change", async () => {
  const { apply, published } = applying({ unknown: "a" });
  const late = { type: "executed", attempt: 1 } as const;
  expect(await Promise.all([apply("a", canceled), apply("b", late)])).toEqual([
    undefined,
    { accepted: false, refusal: "StaleAttempt" },
  ]);
  expect(published).toEqual([]);
});

it("applies an event alone whose run is locked, and all of them if one cannot be read", async () => {
  const locked = applying({ locked: "a" });
  const outcomes = await Promise.all(["a", "b"].map((id) => locked.apply(id, canceled)));
  const states = (of: typeof outcomes): (RunRecord["state"] | undefined)[] =>
    of.map((outcome) => (outcome?.accepted ? outcome.run.state : undefined));
  expect(states(outcomes)).toEqual(["QUERY_STATE_CANCELED", "QUERY_STATE_CANCELED"]);
  expect([locked.alone, locked.published]).toEqual([["a"], [["b"], ["a"]]]);
  const broken = applying({ error: new Error("no JSON") });
  expect(states(await Promise.all(["a", "b"].map((id) => broken.apply(id, canceled))))).toEqual(states(outcomes));
  expect(broken.alone).toEqual(["a", "b"]);
});

it("fails all events of a group in an outage, and performs later ones", async () => {
  const away = new UnavailableError("away");
  const { apply, alone, groups } = applying({ error: away });
  const failed = await Promise.allSettled(names(65).map((id) => apply(id, canceled)));
  expect(failed.map((each) => each.status === "rejected" && each.reason)).toEqual(Array(65).fill(away));
  expect([alone, groups.length]).toEqual([[], 5]);
});
