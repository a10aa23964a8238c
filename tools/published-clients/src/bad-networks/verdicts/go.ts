import type { Finding } from "../verdict.ts";

/** Findings of a client in Go that validates envelopes, retries repeatable calls twice, and reads page after page. */
export const goFindings: readonly Finding[] = [
  {
    level: "must",
    why: "It reads no column names.",
    cases: {
      "rows without column names": "createQueryRun, getQueryRun, getQueryRunResults",
      "column names as an object": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "It takes a page of fewer rows than it asked for as the last one, whatever the total says.",
    cases: {
      "second page without rows": "createQueryRun, getQueryRun, getQueryRunResults 2 times",
    },
  },
  {
    level: "must",
    why: "net/http follows redirects, with the API key; by 301, 302 and 303 as a GET, whose lost connection it takes for one that may be retried.",
    cases: {
      "redirect with HTTP 301": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "redirect with HTTP 302": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "redirect with HTTP 303": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "redirect with HTTP 307": "getQueryRun, getQueryRun to /elsewhere",
      "redirect with HTTP 308": "getQueryRun, getQueryRun to /elsewhere",
    },
  },
  {
    level: "must",
    why: "It takes whatever is in the member rows, null for no rows, and does not compare their number with the total.",
    cases: {
      "page answered with null": "createQueryRun, getQueryRun, getQueryRunResults",
      "rows as numbers": "createQueryRun, getQueryRun, getQueryRunResults",
      "fewer rows than the page reports": "createQueryRun, getQueryRun, getQueryRunResults",
      "rows null where the page reports some": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It sends the create once and hands out the refusal, where the answer says that it may be sent again.",
    cases: {
      "create answered with HTTP 429": "createQueryRun",
      "create of a query answered with HTTP 503 and Retry-After": "createQueryRun",
      "create at the limit of runs": "createQueryRun",
      "create at the limit of runs without data": "createQueryRun",
      "create beyond the rate limit": "createQueryRun",
    },
  },
  {
    level: "should",
    why: "It sends a request three times, within 60 ms.",
    cases: {
      "three polls answered with HTTP 502": "createQueryRun, getQueryRun 3 times",
      "twelve polls reset": "createQueryRun, getQueryRun 3 times",
      "twelve polls answered with HTTP 502": "createQueryRun, getQueryRun 3 times",
    },
  },
  {
    level: "should",
    why: "It hands out the error at once: it does not wait, does not ask for smaller pages and leaves no member out.",
    cases: {
      "waitSeconds refused": "createQueryRun, getQueryRun",
      "poll beyond the rate limit": "createQueryRun, getQueryRun",
      "page beyond the rate limit": "createQueryRun, getQueryRun, getQueryRunResults",
      "page too large": "createQueryRun, getQueryRun, getQueryRunResults",
      "page too large without a size": "createQueryRun, getQueryRun, getQueryRunResults",
      "page too large with a malformed size": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It never sends cancelQueryRun: the run that its caller gave up goes on.",
    cases: {
      "create answered after the caller aborts": "createQueryRun",
      "create without a response when the caller aborts": "createQueryRun",
      "cancel by idempotency key refused": "createQueryRun",
      "no response to any poll": "createQueryRun, getQueryRun",
      "run that never ends": "createQueryRun, getQueryRun many times",
      "abort during a poll": "createQueryRun, getQueryRun",
      "cancel answered with HTML": "createQueryRun, getQueryRun",
      "cancel reset mid-body": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "It retries 429, 502, 503 and 504 only.",
    cases: {
      "HTTP 408 once": "getQueryRun",
      "poll answered with HTTP 500": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "It reads no body of another status than 200, requires the id in each answer, and reads a missing code as 0; after three lost connections it does not poll again.",
    cases: {
      "error code null": "getQueryRun",
      "missing error code": "getQueryRun",
      "error with id null": "getQueryRun",
      "HTTP 400 with a declared error": "getQueryRun",
      "poll refused with HTTP 401 after an outage": "createQueryRun, getQueryRun 3 times",
    },
  },
  {
    level: "should",
    why: "It takes no other status than 200 for a success.",
    cases: {
      "HTTP 201 with the response": "getQueryRun",
    },
  },
  {
    level: "should",
    why: "It does not read Retry-After: it sends the request again after 20 ms.",
    cases: {
      "HTTP 429 with Retry-After of an hour": "getQueryRun 3 times",
      "HTTP 429 with Retry-After as a date in an hour": "getQueryRun 3 times",
      "HTTP 429 with Retry-After longer than a timer": "getQueryRun 3 times",
    },
  },
];
