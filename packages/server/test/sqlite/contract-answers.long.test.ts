import type { Store, Submission } from "@quern/adapter";
import { storeContract } from "@quern/adapter/contract";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";

/** Methods of a store that return data. The effect of the others is visible through them. */
const questions = new Set([
  "run",
  "statement",
  "hasRequested",
  "latestRequest",
  "list",
  "claim",
  "renew",
  "reclaim",
  "withdrawKey",
  "expired",
  "purge",
  "erase",
  "byHash",
  "all",
  "tenant",
  "get",
  "counts",
  "queuePosition",
  "executing",
  "isUsed",
  "use",
  "storedBytes",
  "allStoredBytes",
  "take",
]);

/** Returns an answer that differs from the right one. */
function wrong(answer: unknown): unknown {
  if (typeof answer === "boolean") return !answer;
  if (typeof answer === "number") return answer + 1;
  if (Array.isArray(answer)) return answer.length > 0 ? answer.slice(1) : [{ id: "wrong", run: { id: "wrong" } }];
  return answer === undefined ? { id: "wrong", run: { id: "wrong" }, request: { id: "wrong" } } : undefined;
}

/** Runs a case on a store that answers one call wrongly, by its number. Returns the number of calls if the case passes. */
async function play(run: (typeof storeContract)[number]["run"], defective: number): Promise<number | undefined> {
  let time = 0;
  let asked = 0;
  const real = openSqliteStore(":memory:", { clock: { now: () => time } });
  const wrapped = (target: object): object =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return wrapped(member);
        if (typeof member !== "function" || !questions.has(String(name))) return member;
        return async (...params: unknown[]) => {
          asked += 1;
          const isWrong = asked === defective;
          // Some cases claim a run and check only its later state.
          if (isWrong && name === "claim") return wrong(undefined);
          const answer: unknown = await Reflect.apply(member, target, params);
          return isWrong ? wrong(answer) : answer;
        };
      },
    });
  const setTime = (now: number): void => {
    time = now;
  };
  try {
    await run({ store: wrapped(real) as Store, setTime });
    return asked;
  } catch {
    return undefined;
  } finally {
    await real.close();
  }
}

// A case about notices would wait for one that does not come.
const cases = storeContract.filter(({ name }) => !name.startsWith("notifies "));

it.each(cases.map(({ name, run }) => [name, run] as const))(
  "the contract of stores, %s: fails for each wrong answer",
  async (_, run) => {
    const questionsAsked = (await play(run, 0)) ?? 0;
    const unnoticed: number[] = [];
    for (let question = 1; question <= questionsAsked; question += 1)
      if ((await play(run, question)) !== undefined) unnoticed.push(question);
    expect(unnoticed).toEqual([]);
  },
  60_000, // one case submits a thousand runs, once for each of its calls
);

/** Returns a store that changes each submission. */
const submitting =
  (change: (of: Submission) => Submission) =>
  (store: Store): Store => ({
    ...store,
    runs: { ...store.runs, submit: (submission) => store.runs.submit(change(submission)) },
  });
const withRun = (change: Partial<Submission["run"]>) =>
  submitting((submission) => ({ ...submission, run: { ...submission.run, ...change } }));

it.each<[string, string, (store: Store) => Store]>([
  [
    "takes all tenants for one",
    "refuses a new run above the cap of unfinished runs of its tenant",
    withRun({ tenantId: "tenant" }),
  ],
  ["takes all tenants for one", "executes at most as many runs of a tenant", withRun({ tenantId: "tenant" })],
  ["takes all users for one", "serves tenants and users round-robin", withRun({ userId: "user" })],
  [
    "shares all runs",
    "answers with a result or an unfinished run",
    submitting((submission) => ({ ...submission, request: { ...submission.request, maxAgeMinutes: 600 } })),
  ],
  [
    "shares no run",
    "shares one run among concurrent",
    submitting((submission) => ({ ...submission, request: { ...submission.request, maxAgeMinutes: 0 } })),
  ],
  [
    "knows no caps",
    "refuses a new run above the cap of waiting runs",
    submitting((submission) => ({ ...submission, caps: {} })),
  ],
  [
    "knows no caps",
    "admits the first waiting run of a tenant",
    submitting((submission) => ({ ...submission, caps: {} })),
  ],
  [
    "knows no keys of calls",
    "recognizes a repeated call",
    submitting((submission) => ({ ...submission, idempotency: null })),
  ],
  [
    "knows no keys of calls",
    "remembers for a day a key that is withdrawn",
    submitting((submission) => ({ ...submission, idempotency: null })),
  ],
  [
    "keeps a text for each caller",
    "returns the same text to all concurrent callers",
    (store) => ({ ...store, settings: { ...store.settings, getOrCreate: async (_, text) => text } }),
  ],
  [
    "keeps a text of no caller",
    "returns the same text to all concurrent callers",
    (store) => ({ ...store, settings: { ...store.settings, getOrCreate: async () => "another" } }),
  ],
  [
    "keeps a lease that is released",
    "gives a lease to another owner once it is released",
    (store) => ({ ...store, leases: { ...store.leases, release: async () => {} } }),
  ],
  [
    "tells others of a request",
    "does not withdraw the request of another user",
    (store) => ({
      ...store,
      runs: { ...store.runs, withdraw: async () => ({ accepted: false, refusal: "WrongState" }) },
    }),
  ],
])("a store that %s fails the contract, which %s", async (_, name, change) => {
  const { run } = storeContract.find((each) => each.name.startsWith(name)) ?? { run: async () => {} };
  let time = 0;
  const store = openSqliteStore(":memory:", { clock: { now: () => time } });
  const setTime = (now: number): void => {
    time = now;
  };
  await run({ store, setTime });
  const other = openSqliteStore(":memory:", { clock: { now: () => time } });
  await expect(run({ store: change(other), setTime })).rejects.toThrow();
  await Promise.all([store.close(), other.close()]);
});

it("each case of the contract of stores fails on a store that answers no call", async () => {
  const silent: object = new Proxy(() => {}, {
    get: () => silent,
    apply: async () => Promise.reject(new Error("no answer")),
  });
  const passed: string[] = [];
  for (const { name, run } of cases) {
    const isPassed = run({ store: silent as Store, setTime: () => {} }).then(
      () => true,
      () => false,
    );
    if (await isPassed) passed.push(name);
  }
  expect(passed).toEqual([]);
});

/** Cases that fail both for a fast and for a slow clock. */
const casesAboutTimes = [
  "finds the results that have expired and are not archived",
  "answers with a result or an unfinished run of the same reuse key",
  "recognizes a repeated call by its idempotency key for a day",
  "remembers for a day a key that is withdrawn before its call arrives, and runs nothing for that call",
  "lists the runs that a user requested, also shared ones, once and in order",
  "finds runs by a text in their statement, in upper or lower case",
  "returns the creation time of the oldest waiting run",
  "does not reclaim a run whose lease has not expired",
  "returns keys by their hash, and lists them with the oldest first",
  "keeps a key revoked, with the time of the first revocation",
  "restores a replaced key, unless it is also revoked",
  "only moves the expiry of a key earlier, and stores its last use",
  "derives the state of a key from its own clock; revoked takes precedence over expired",
  "keeps tenants separate, and lists the oldest first",
  "gives the tokens of a full bucket at once, then refills it at its rate",
  "reads the records that calls have made",
];

it.each<[string, number, readonly string[]]>([
  [
    "fast",
    1,
    [
      ...casesAboutTimes,
      "purges a run with its requests, and a statement with its last run",
      "returns the request of a withdrawn key",
      "returns the latest request of a user for a statement on the given data sources",
      "remembers a used link until it expires",
      "keeps the view of a link until the last link to it expires",
    ],
  ],
  [
    "slow",
    -1,
    [
      ...casesAboutTimes,
      "queues a lost run again, and fails it after too many losses",
      "queues a run again that has lost its server, without a lost worker, and fails it after too many in a row",
      "gives a lost run to one of several concurrent callers",
      "gives no more permits of a lease than its limit to concurrent owners",
      "binds complete uploads to one of several runs, all or none",
      "lets one file complete an upload, until it expires",
    ],
  ],
])(
  "a store whose clock is a millisecond %s once it has moved fails the cases of the contract about that time",
  async (_, driftMs, names) => {
    const failed: string[] = [];
    for (const { name, run } of cases) {
      let time = 0;
      let first: number | undefined;
      const store = openSqliteStore(":memory:", { clock: { now: () => time } });
      const setTime = (now: number): void => {
        first ??= now;
        time = now === first ? now : now + driftMs;
      };
      await run({ store, setTime }).catch(() => failed.push(name));
      await store.close();
    }
    expect(failed.toSorted()).toEqual(names.toSorted());
  },
  60_000, // one case submits a thousand runs
);
