import { readFileSync } from "node:fs";
import type { Finding } from "./verdict.ts";

/**
 * Name of each client in `findings.txt`.
 * - `sdk`: `@flipsidecrypto/sdk` 2.1.0 sends each call once with `fetch` and without a timeout, never cancels a run by
 *   itself, and reads only one page.
 * - `flipside`: `flipside` 2.1.0 from PyPI; after a lost connection, HTTP 429 or 5xx, urllib3 retries a request up to ten
 *   times, creates included, with a backoff of up to two minutes.
 * - `shell`: a script with curl and sed, which sends each request once and finds members by patterns.
 * - `go`: a client of Go's standard library, which validates envelopes, retries repeatable calls twice, and reads page
 *   after page.
 */
export type ClientName = "sdk" | "flipside" | "shell" | "go";

const table = readFileSync(new URL("./findings.txt", import.meta.url), "utf8");

/**
 * Reads the findings of a client from the table. A finding is a line with its level and its reason. Each indented line
 * below it has names of clients, the requests that each of them sends, and the cases that it fails with these requests.
 */
export function findingsOf(client: ClientName): readonly Finding[] {
  return table.split(/\n(?=\w)/).flatMap((finding) => {
    const [, level, why = ""] = /^(must|should): (.+)$/m.exec(finding) ?? [];
    if (level !== "must" && level !== "should")
      throw new Error(`Invalid finding: ${finding}; write a level and a reason`);
    const cases = finding.split("\n").flatMap((line) => {
      const [, clients = "", sent = "", names = ""] = /^ {2}(.+?): (.+?): (.+)$/.exec(line) ?? [];
      return clients.split(" ").includes(client) ? names.split("; ").map((name) => [name, sent] as const) : [];
    });
    return cases.length === 0 ? [] : [{ level, why, cases: Object.fromEntries(cases) }];
  });
}
