// Runs attacks in a process of its own, so that they do not delay the measurements of the test. The arguments are the
// URL, a key and the names of the attacks. It sends their counts as a message to each message.
import { type AttackName, attacks, type Report } from "./attacks.ts";

const [url = "", apiKey = "", ...names] = process.argv.slice(2);
const end = new AbortController();
process.on("disconnect", () => process.exit());

const reports = names.map((name): [string, () => Report] => [
  name,
  attacks[name as AttackName]({ url, apiKey }, end.signal), // the test passes names of attacks
]);
process.on("message", () => {
  process.send?.(Object.fromEntries(reports.map(([name, report]) => [name, report()])));
});
