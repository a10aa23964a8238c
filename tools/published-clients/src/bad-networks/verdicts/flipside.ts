import type { Finding } from "../verdict.ts";

/**
 * Findings of `flipside` 2.1.0 from PyPI: urllib3 retries each request ten times, creates included, with a backoff of
 * up to two minutes.
 */
export const flipsideFindings: readonly Finding[] = [
  {
    level: "must",
    why: "It compares no ids.",
    cases: {
      "the id of another call": "getQueryRun",
    },
  },
  {
    level: "must",
    why: "requests decodes by the character set of the header.",
    cases: {
      "the wrong character set": "getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "Its requests have no deadline, and urllib3 waits between ten attempts up to two minutes, or as long as Retry-After says.",
    cases: {
      "HTTP 500 with HTML": "getQueryRun many times",
      "HTTP 502 for ever": "getQueryRun many times",
      "HTTP 502 with a reply in its body": "getQueryRun many times",
      "429 that asks for an hour": "getQueryRun",
      "429 that asks for a wait until a date an hour away": "getQueryRun",
      "429 that asks for more seconds than a timer has": "getQueryRun",
      "every connection closed without an answer": "getQueryRun many times",
      "every connection reset without an answer": "getQueryRun many times",
      "nobody there": "nothing",
      silence: "getQueryRun",
      "silence after half of the head": "getQueryRun",
      "silence after half of the body": "getQueryRun",
      "blanks for ever": "getQueryRun",
      "silence to two calls": "getQueryRun",
      "headers of a hundred kilobytes on each answer": "getQueryRun many times",
      "another protocol than HTTP": "getQueryRun many times",
      "silence to a create": "createQueryRun",
      "twelve polls reset, then a service that is back": "createQueryRun, getQueryRun many times",
      "twelve polls met by HTTP 502, then a service that is back": "createQueryRun, getQueryRun many times",
      "a poll refused after an outage": "createQueryRun, getQueryRun many times",
      "silence to each poll": "createQueryRun, getQueryRun",
      "a run that never ends": "createQueryRun, getQueryRun many times",
      "silence to a page": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "http.client of Python has it so.",
    cases: {
      "a length that is no number": "getQueryRun",
    },
  },
  {
    level: "must",
    why: "It asks for one page and hands it out as the whole result.",
    cases: {
      "several pages": "createQueryRun, getQueryRun, getQueryRunResults",
      "a second page reset": "createQueryRun, getQueryRun, getQueryRunResults",
      "a second page that is HTML": "createQueryRun, getQueryRun, getQueryRunResults",
      "a second page of no rows": "createQueryRun, getQueryRun, getQueryRunResults",
      "silence to the second page": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "requests follows redirects, with the API key; by 301, 302 and 303 as a GET without the call, which it then retries.",
    cases: {
      "a redirect by 301": "getQueryRun, no call to /elsewhere many times",
      "a redirect by 302": "getQueryRun, no call to /elsewhere many times",
      "a redirect by 303": "getQueryRun, no call to /elsewhere many times",
      "a redirect by 307": "getQueryRun, getQueryRun to /elsewhere",
      "a redirect by 308": "getQueryRun, getQueryRun to /elsewhere",
    },
  },
  {
    level: "must",
    why: "urllib3 sends a create again after a lost connection, 429 or 5xx: the statement runs twice.",
    cases: {
      "a create met by 502": "createQueryRun 2 times",
      "a create reset without an answer": "createQueryRun 2 times",
      "a query's create met by HTTP 503 of a gateway, which may have passed it on":
        "createQueryRun 2 times, getQueryRun, getQueryRunResults",
      "a query's create reset without an answer": "createQueryRun 2 times, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It sends the create once and hands out the refusal, where the answer says that it may be sent again.",
    cases: {
      "a create at the limit of runs": "createQueryRun",
      "a create at the limit of runs, said without data": "createQueryRun",
      "a create beyond the rate": "createQueryRun",
    },
  },
  {
    level: "should",
    why: "http.client of Python has it so.",
    cases: {
      "early hints before the answer": "getQueryRun",
      "two lengths that differ": "getQueryRun",
    },
  },
  {
    level: "should",
    why: "It needs each member of queryRequest, queryRun and sqlStatement, and fails at an answer without them.",
    cases: {
      "a query on a server of three methods": "createQueryRun",
      "pages from a server of three methods": "createQueryRun",
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
      "a caller who gives up during a poll": "createQueryRun, getQueryRun",
      "a withdrawal met by HTML": "createQueryRun, getQueryRun",
      "a withdrawal reset": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "urllib3 retries 429 and 5xx and lost connections, and no body that was cut, nor 408.",
    cases: {
      "HTTP 408 once": "getQueryRun",
      "429 that asks for a wait nobody can read": "getQueryRun",
      "a body cut in the middle": "getQueryRun",
      "a reset in the middle of a body": "getQueryRun",
      "a poll cut in the middle": "createQueryRun, getQueryRun",
      "a page cut in the middle": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "Its models take an answer without result and error, and an error without an id fails them.",
    cases: {
      "neither result nor error": "getQueryRun",
      "the result null": "getQueryRun",
      "an error for no id": "getQueryRun",
      "more body promised than comes": "getQueryRun",
      "an odd reason": "createQueryRun, getQueryRun",
    },
  },
];
