import type { Finding } from "../verdict.ts";

/** Findings of a client in Go that validates envelopes, retries repeatable calls twice, and reads page after page. */
export const goFindings: readonly Finding[] = [
  {
    level: "must",
    why: "It reads no column names.",
    cases: {
      "rows without column names": "createQueryRun, getQueryRun, getQueryRunResults",
      "column names that are no array": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "It takes a page of fewer rows than it asked for as the last one, whatever the total says.",
    cases: {
      "a second page of no rows": "createQueryRun, getQueryRun, getQueryRunResults 2 times",
    },
  },
  {
    level: "must",
    why: "net/http follows redirects, with the API key; by 301, 302 and 303 as a GET, whose lost connection it takes for one that may be retried.",
    cases: {
      "a redirect by 301": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "a redirect by 302": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "a redirect by 303": "getQueryRun, no call to /elsewhere 2 times, getQueryRun",
      "a redirect by 307": "getQueryRun, getQueryRun to /elsewhere",
      "a redirect by 308": "getQueryRun, getQueryRun to /elsewhere",
    },
  },
  {
    level: "must",
    why: "It takes whatever is in the member rows, null for no rows, and does not compare their number with the total.",
    cases: {
      "a page answered with null": "createQueryRun, getQueryRun, getQueryRunResults",
      "rows that are numbers": "createQueryRun, getQueryRun, getQueryRunResults",
      "fewer rows than the page says": "createQueryRun, getQueryRun, getQueryRunResults",
      "no rows where the page says some": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It sends the create once and hands out the refusal, where the answer says that it may be sent again.",
    cases: {
      "a create met by 429": "createQueryRun",
      "a query's create met by HTTP 503 with a time to come again": "createQueryRun",
      "a create at the limit of runs": "createQueryRun",
      "a create at the limit of runs, said without data": "createQueryRun",
      "a create beyond the rate": "createQueryRun",
    },
  },
  {
    level: "should",
    why: "It sends a request three times, within 60 ms.",
    cases: {
      "three polls met by HTTP 502": "createQueryRun, getQueryRun 3 times",
      "twelve polls reset, then a service that is back": "createQueryRun, getQueryRun 3 times",
      "twelve polls met by HTTP 502, then a service that is back": "createQueryRun, getQueryRun 3 times",
    },
  },
  {
    level: "should",
    why: "It hands out the error at once: it does not wait, does not ask for smaller pages and leaves no member out.",
    cases: {
      "a poll that must not wait": "createQueryRun, getQueryRun",
      "a poll beyond the rate": "createQueryRun, getQueryRun",
      "a page beyond the rate": "createQueryRun, getQueryRun, getQueryRunResults",
      "a page found too large": "createQueryRun, getQueryRun, getQueryRunResults",
      "a page found too large, said without a size": "createQueryRun, getQueryRun, getQueryRunResults",
      "a page found too large, said with an odd size": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It never sends cancelQueryRun: the run that its caller gave up goes on.",
    cases: {
      "an answer to a create after the caller gave up": "createQueryRun",
      "silence to a create that the caller gave up": "createQueryRun",
      "a withdrawal by key on a service that knows none": "createQueryRun",
      "silence to each poll": "createQueryRun, getQueryRun",
      "a run that never ends": "createQueryRun, getQueryRun many times",
      "a caller who gives up during a poll": "createQueryRun, getQueryRun",
      "a withdrawal met by HTML": "createQueryRun, getQueryRun",
      "a withdrawal reset": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "It retries 429, 502, 503 and 504 only.",
    cases: {
      "HTTP 408 once": "getQueryRun",
      "a poll met by HTTP 500": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "It reads no body of another status than 200, asks for the id in each answer, and takes no code for 0; after three lost connections it does not poll again.",
    cases: {
      "a code null": "getQueryRun",
      "no code": "getQueryRun",
      "an error for no id": "getQueryRun",
      "HTTP 400 with an error of the method": "getQueryRun",
      "a poll refused after an outage": "createQueryRun, getQueryRun 3 times",
    },
  },
  {
    level: "should",
    why: "It takes no other status than 200 for a success.",
    cases: {
      "HTTP 201 with the reply": "getQueryRun",
    },
  },
  {
    level: "should",
    why: "It does not read Retry-After: it sends the request again after 20 ms.",
    cases: {
      "429 that asks for an hour": "getQueryRun 3 times",
      "429 that asks for a wait until a date an hour away": "getQueryRun 3 times",
      "429 that asks for more seconds than a timer has": "getQueryRun 3 times",
    },
  },
];
