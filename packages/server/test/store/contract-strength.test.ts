import { sharedStoreContract, storeContract } from "@quern/adapter/contract";
import { expect, it } from "vitest";
import { noticedClocks, play, type StoreCase } from "./contract-play.ts";

/** Name of a case, its number of calls, and the clocks that it notices. A case that loses a check has other numbers. */
type Strength = readonly [name: string, calls: number, clocks?: string];

const ofStores: readonly Strength[] = [
  ["returns stored runs, requests and statements unchanged", 7],
  ["stores equal statements of a tenant once", 6],
  ["applies valid transitions and refuses invalid ones", 10],
  ["finds the latest request for a statement whose run has a result", 11],
  ["finds the results that have expired and are not archived", 13, "fast slow"],
  ["purges a run with its requests, and a statement with its last run", 28, "fast"],
  ["answers with a result or an unfinished run of the same reuse key", 14, "fast slow"],
  ["answers with an older result whose retention is longer than that of the newest", 14],
  ["shares one run among concurrent equal submissions", 10],
  ["refuses a new run above the cap of unfinished runs of its tenant", 8],
  ["refuses a new run above the cap of waiting runs, but no request that joins a run", 11],
  ["refuses a new run on a full disk, but no request that joins a run", 5],
  ["counts the results of each tenant that are not archived, and refuses a new run at the quota", 25],
  ["stores no more results than the quota of the tenant has space for, however many are committed at once", 57],
  ["admits the first waiting run of a tenant until twice as many runs wait as the cap allows", 10],
  ["recognizes a repeated call by its idempotency key for a day", 10, "fast slow"],
  ["cancels a run when its last request is withdrawn, so that the next request gets a new run", 12],
  ["reports to only one of several equal withdrawals that it ended the run", 5],
  ["returns the request of a withdrawn key", 6, "fast"],
  [
    "remembers for a day a key that is withdrawn before its call arrives, and runs nothing for that call",
    17,
    "fast slow",
  ],
  ["does not withdraw the request of another user", 4],
  ["lists the runs that a user requested, also shared ones, once and in order", 23, "fast slow"],
  ["returns the latest request of a user for a statement on the given data sources", 15, "fast"],
  ["lets each run be claimed once, the oldest first", 10],
  ["serves tenants and users round-robin, so that many runs of one do not delay the first of another", 2020],
  ["executes at most as many runs of a tenant as its cap", 20],
  ["applies the current cap of the tenant when a run is claimed", 26],
  ["counts the unfinished runs by their state", 17],
  ["returns the creation time of the oldest waiting run", 11, "fast slow"],
  ["knows the position of each waiting run in the order in which the runs of its tenant are claimed", 35],
  ["reclaims a run whose lease has expired, unless it was renewed", 22],
  ["does not reclaim a run whose lease has not expired", 9, "fast slow"],
  ["does not reclaim a run that the caller executes, even after its lease has expired", 7],
  ["queues a lost run again, and fails it after too many losses", 15, "slow"],
  [
    "queues a run again that has lost its server, without a lost worker, and fails it after too many in a row",
    27,
    "slow",
  ],
  ["gives a lost run to one of several concurrent callers", 10, "slow"],
  ["refuses changes by a server that has lost the run to another one", 12],
  ["notifies once each time a run is queued or ends, after the change is durable", 17],
  ["notifies of reclaimed runs", 7],
  ["notifies each subscriber until its subscription ends", 6],
  ["returns keys by their hash, and lists them with the oldest first", 8, "fast slow"],
  ["keeps a key revoked, with the time of the first revocation", 10, "fast slow"],
  ["restores a replaced key, unless it is also revoked", 13, "fast slow"],
  ["only moves the expiry of a key earlier, and stores its last use", 11, "fast slow"],
  ["derives the state of a key from its own clock; revoked takes precedence over expired", 12, "fast slow"],
  ["merges settings, where null is a value, and keeps the creation time of the tenant", 6],
  ["keeps tenants separate, and lists the oldest first", 5, "fast slow"],
  ["adds to the usage of a user in a month", 4],
  ["lists usage by month, tenant and user, of one month or of all", 3],
  ["keeps the first text of a setting until another one is set", 6],
  ["returns the same text to all concurrent callers that create a setting", 20],
  ["lets one of several callers use a link", 25],
  ["remembers a used link until it expires", 6, "fast"],
  ["gives the tokens of a full bucket at once, then refills it at its rate", 17, "fast slow"],
  ["gives each token to one of several concurrent calls", 21],
  ["lacks at most a whole bucket after the clock was set back", 6],
  ["gives a lease with one permit to one owner, who can renew it until it ends", 11],
  ["gives a lease to another owner once it is released, and ignores the release of others", 8],
  ["gives no more permits of a lease than its limit to concurrent owners", 44, "slow"],
  ["erases the runs, requests and statements of a user, and nothing of others", 20],
  ["keeps a shared run for the others, under the user and tags of their first request", 18],
  ["does not renew the lease of an erased run, and cancels a run that nobody else wants", 13],
  ["erases the idempotency keys of a user, also withdrawn ones", 12],
  ["erases up to a number of runs at a time, and stays usable when it is compacted", 18],
  ["reads the records that calls have made", 26, "fast slow"],
  ["answers calls by records that were written, and keeps a record that exists", 34],
  ["claims a run that was written while it waited, and reclaims one that was written while it executed", 12],
  ["reads more records than a batch, each of them once and the requests in their order", 5],
];

const ofSharedStores: readonly Strength[] = [
  ["takes the tokens of a key from one bucket, whichever server asks", 25],
  ["shares the permits of a lease among the owners of all servers", 25],
  ["refuses runs above the cap of a tenant that concurrent calls of all servers reach together", 21],
  ["executes at most as many runs of a tenant as its cap allows, on all servers together", 47],
  ["serves tenants round-robin, whichever server claims their runs", 18],
  ["adds the usage that all servers report at the same time", 22],
  ["gives each run to one of the servers that claim at the same time", 68],
  ["answers concurrent calls with one idempotency key on several servers with one run", 13],
  ["shares one run among concurrent calls for the same result on several servers", 13],
  ["notifies the subscribers of a server of runs that another one queues, cancels and ends", 11],
  ["gives the lost runs of a server to one other server, and refuses the late changes of the first one", 13, "slow"],
  ["gives all servers that create a setting at the same time the text of one of them", 22],
  ["lets one of several calls on all servers use a link", 23],
  ["shows a key that another server adds and revokes", 5],
  ["shows the settings of a tenant that another server changes", 5],
  ["lists the servers that have leases, also to another server", 11],
];

const strengthOf = async (of: StoreCase): Promise<Strength> => {
  const calls = await play(of);
  // A case about notices would wait for one that does not come, and one case submits a thousand runs.
  const clocks = of.name.startsWith("notifies ") || calls > 1_000 ? "" : await noticedClocks(of);
  return clocks === "" ? [of.name, calls] : [of.name, calls, clocks];
};

it.each([
  ["stores", storeContract, ofStores],
  ["shared stores", sharedStoreContract, ofSharedStores],
] as const)(
  "the contract of %s makes all of its calls, awaits them, and notices a wrong clock",
  async (_, cases, expected) => {
    const strengths: Strength[] = [];
    for (const each of cases) strengths.push(await strengthOf(each));
    expect(strengths).toEqual(expected);
  },
  60_000,
);
