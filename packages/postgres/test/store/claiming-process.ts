/** Process that claims a run of the store at the URL in its argument, renews the lease, and prints the id of the run. */
import { setTimeout } from "node:timers/promises";
import { openStore } from "./fixture.ts";

const [url = "", leaseMs = ""] = process.argv.slice(2);
const lease = { owner: "a process to kill", ms: Number(leaseMs) };
const store = await openStore(url);
const claimed = await store.runs.claim(lease);
if (claimed === undefined) throw new Error("nothing to claim");
process.stdout.write(`${claimed.run.id}\n`);
for (;;) {
  await store.runs.renew(lease, [claimed.run.id]);
  await setTimeout(lease.ms / 5);
}
