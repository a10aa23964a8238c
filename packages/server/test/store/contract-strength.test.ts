import { sharedStoreContract, storeContract } from "@quern/adapter/contract";
import { expect, it } from "vitest";
import { noticedClocks, play, type StoreCase } from "./contract-play.ts";

/**
 * Strength of a case: the numbers of its calls and of the members of answers that it reads, the number of its calls on
 * the second of two servers, if it has any, and the clocks that it notices. A case that loses a check has other numbers.
 */
type Strength = readonly [name: string, calls: number, reads: number, ...others: readonly (number | string)[]];

const ofStores: readonly Strength[] = [
  ["returns stored runs, requests and statements unchanged", 7, 116],
  ["stores equal statements of a tenant once", 6, 15],
  ["applies valid transitions and refuses invalid ones", 10, 18],
  ["finds the latest request for a statement whose run has a result", 11, 10],
  ["finds the results that have expired and are not archived", 13, 8, "fast slow"],
  ["purges a run with its requests, and a statement with its last run", 28, 14, "fast"],
  ["answers with a result or an unfinished run of the same reuse key", 14, 20, "fast slow"],
  ["answers with an older result whose retention is longer than that of the newest", 14, 15],
  ["shares one run among concurrent equal submissions", 10, 21],
  ["refuses a new run above the cap of unfinished runs of its tenant", 8, 8],
  ["refuses a new run above the cap of waiting runs, but no request that joins a run", 11, 9],
  ["refuses a new run on a full disk, but no request that joins a run", 5, 7],
  ["counts the results of each tenant that are not archived, and refuses a new run at the quota", 25, 24],
  ["counts the statements, parameters and tags of a tenant, also of failed runs, until they are purged", 24, 10],
  ["stores no more results than the quota of the tenant has space for, however many are committed at once", 58, 49],
  ["admits the first waiting run of a tenant until twice as many runs wait as the cap allows", 10, 10],
  ["recognizes a repeated call by its idempotency key for a day", 10, 35, "fast slow"],
  ["cancels a run when its last request is withdrawn, so that the next request gets a new run", 12, 25],
  ["reports to only one of several equal withdrawals that it ended the run", 5, 9],
  ["returns the request of a withdrawn key", 6, 24, "fast"],
  [
    "remembers for a day a key that is withdrawn before its call arrives, and runs nothing for that call",
    17,
    22,
    "fast slow",
  ],
  ["does not withdraw the request of another user", 4, 50],
  ["lists the runs that a user requested, also shared ones, once and in order", 23, 24, "fast slow"],
  ["returns the latest request of a user for a statement on the given data sources", 15, 21, "fast"],
  ["lets each run be claimed once, the oldest first", 10, 18],
  ["serves tenants and users round-robin, so that many runs of one do not delay the first of another", 2020, 1015],
  ["executes at most as many runs of a tenant as its cap", 20, 13],
  ["claims the runs of the data sources that may start only, and counts those that execute", 19, 12],
  ["applies the current cap of the tenant when a run is claimed", 26, 4],
  ["counts the unfinished runs by their state", 17, 17],
  ["returns the creation time of the oldest waiting run", 11, 10, "fast slow"],
  ["knows the position of each waiting run in the order in which the runs of its tenant are claimed", 35, 35],
  ["reclaims a run whose lease has expired, unless it was renewed", 22, 13],
  ["does not reclaim a run whose lease has not expired", 9, 4, "fast slow"],
  ["does not reclaim a run that the caller executes, even after its lease has expired", 7, 4],
  ["queues a lost run again, and fails it after too many losses", 15, 79, "slow"],
  [
    "queues a run again that has lost its server, without a lost worker, and fails it after too many in a row",
    27,
    285,
    "slow",
  ],
  ["gives a lost run to one of several concurrent callers", 10, 4, "slow"],
  ["refuses changes by a server that has lost the run to another one", 12, 14],
  ["notifies once each time a run is queued or ends, after the change is durable", 17, 13],
  ["notifies of reclaimed runs", 7, 3],
  ["notifies each subscriber until its subscription ends", 6, 6],
  ["returns keys by their hash, and lists them with the oldest first", 8, 43, "fast slow"],
  ["keeps a key revoked, with the time of the first revocation", 10, 11, "fast slow"],
  ["restores a replaced key, unless it is also revoked", 13, 33, "fast slow"],
  ["only moves the expiry of a key earlier, and stores its last use", 11, 23, "fast slow"],
  ["derives the state of a key from its own clock; revoked takes precedence over expired", 12, 9, "fast slow"],
  ["merges settings, where null is a value, and keeps the creation time of the tenant", 6, 4],
  ["keeps tenants separate, and lists the oldest first", 5, 9, "fast slow"],
  ["adds to the usage of a user in a month", 4, 0],
  ["lists usage by month, tenant and user, of one month or of all", 3, 20],
  ["keeps the first text of a setting until another one is set", 6, 0],
  ["returns the same text to all concurrent callers that create a setting", 20, 0],
  ["lets one of several callers use a link", 25, 0],
  ["remembers a used link until it expires", 6, 0, "fast"],
  ["gives the tokens of a full bucket at once, then refills it at its rate", 17, 0, "fast slow"],
  ["gives each token to one of several concurrent calls", 21, 0],
  ["lacks at most a whole bucket after the clock was set back", 9, 0],
  ["gives a lease with one permit to one owner, who can renew it until it ends", 11, 0],
  ["gives a lease to another owner once it is released, and ignores the release of others", 8, 0],
  ["gives no more permits of a lease than its limit to concurrent owners", 44, 0, "slow"],
  ["erases the runs, requests and statements of a user, and nothing of others", 20, 119],
  ["keeps a shared run for the others, under the user and tags of their first request", 18, 33],
  ["does not renew the lease of an erased run, and cancels a run that nobody else wants", 13, 16],
  ["erases the idempotency keys of a user, also withdrawn ones", 12, 19],
  ["erases up to a number of runs at a time, and stays usable when it is compacted", 18, 57],
  ["reads the records that calls have made", 26, 219, "fast slow"],
  ["answers calls by records that were written, and keeps a record that exists", 34, 134],
  ["claims a run that was written while it waited, and reclaims one that was written while it executed", 12, 8],
  ["reads more records than a batch, each of them once and the requests in their order", 5, 3_604],
];

const ofSharedStores: readonly Strength[] = [
  ["takes the tokens of a key from one bucket, whichever server asks", 25, 0, 12],
  ["shares the permits of a lease among the owners of all servers", 25, 0, 12],
  ["refuses runs above the cap of a tenant that concurrent calls of all servers reach together", 21, 20, 10],
  ["executes at most as many runs of a tenant as its cap allows, on all servers together", 47, 9, 22],
  ["serves tenants round-robin, whichever server claims their runs", 18, 18, 3],
  ["adds the usage that all servers report at the same time", 22, 8, 11],
  ["gives each run to one of the servers that claim at the same time", 68, 100, 14],
  ["answers concurrent calls with one idempotency key on several servers with one run", 13, 48, 6],
  ["shares one run among concurrent calls for the same result on several servers", 13, 36, 6],
  ["notifies the subscribers of a server of runs that another one queues, cancels and ends", 11, 9, 5],
  [
    "gives the lost runs of a server to one other server, and refuses the late changes of the first one",
    13,
    11,
    4,
    "slow",
  ],
  ["gives all servers that create a setting at the same time the text of one of them", 22, 0, 11],
  ["lets one of several calls on all servers use a link", 23, 0, 11],
  ["shows a key that another server adds and revokes", 5, 2, 2],
  ["shows the settings of a tenant that another server changes", 5, 2, 2],
  ["lists the servers that have leases, also to another server", 11, 3, 4],
];

async function strengthOf(of: StoreCase): Promise<Strength> {
  const { calls, callsOnAnother, reads } = await play(of);
  // A case about notices would wait for one that does not come, and one case submits a thousand runs.
  const clocks = of.name.startsWith("notifies ") || calls > 1_000 ? "" : await noticedClocks(of);
  const others = [callsOnAnother, clocks].filter((other) => other !== 0 && other !== "");
  return [of.name, calls, reads, ...others];
}

it.each([
  ["stores", storeContract, ofStores],
  ["shared stores", sharedStoreContract, ofSharedStores],
] as const)(
  "the contract of %s makes all of its calls, each on its server, awaits them, reads their answers, and notices a wrong clock",
  async (_, cases, expected) => {
    const strengths: Strength[] = [];
    for (const each of cases) strengths.push(await strengthOf(each));
    expect(strengths).toEqual(expected);
  },
  60_000,
);
