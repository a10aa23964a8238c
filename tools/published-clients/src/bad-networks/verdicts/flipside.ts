import type { Finding } from "../verdict.ts";

/**
 * Findings of `flipside` 2.1.0 from PyPI: after a lost connection, HTTP 429 or 5xx, urllib3 retries a request up to ten
 * times, creates included, with a backoff of up to two minutes.
 */
export const flipsideFindings: readonly Finding[] = [
  {
    level: "must",
    why: "It compares no ids.",
    cases: {
      "id of another call": "getQueryRun",
    },
  },
  {
    level: "must",
    why: "requests decodes by the character set of the header.",
    cases: {
      "wrong charset": "getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "Its requests have no deadline, and urllib3 waits between ten attempts up to two minutes, or as long as Retry-After says.",
    cases: {
      "HTTP 500 with HTML": "getQueryRun many times",
      "HTTP 502 every time": "getQueryRun many times",
      "HTTP 502 with a response object": "getQueryRun many times",
      "HTTP 429 with Retry-After of an hour": "getQueryRun",
      "HTTP 429 with Retry-After as a date in an hour": "getQueryRun",
      "HTTP 429 with Retry-After longer than a timer": "getQueryRun",
      "connection closed without a response every time": "getQueryRun many times",
      "connection reset without a response every time": "getQueryRun many times",
      "connection refused": "nothing",
      "no response": "getQueryRun",
      "no data after half of the headers": "getQueryRun",
      "no data after half of the body": "getQueryRun",
      "endless whitespace": "getQueryRun",
      "no response to two calls": "getQueryRun",
      "oversized headers every time": "getQueryRun many times",
      "protocol other than HTTP": "getQueryRun many times",
      "create without a response": "createQueryRun",
      "twelve polls reset": "createQueryRun, getQueryRun many times",
      "twelve polls answered with HTTP 502": "createQueryRun, getQueryRun many times",
      "poll refused with HTTP 401 after an outage": "createQueryRun, getQueryRun many times",
      "no response to any poll": "createQueryRun, getQueryRun",
      "run that never ends": "createQueryRun, getQueryRun many times",
      "no response to a page": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "Python's http.client ignores an invalid content length, and reads until the connection closes.",
    cases: {
      "invalid content length": "getQueryRun",
    },
  },
  {
    level: "must",
    why: "It asks for one page and hands it out as the whole result.",
    cases: {
      "several pages": "createQueryRun, getQueryRun, getQueryRunResults",
      "second page reset mid-body": "createQueryRun, getQueryRun, getQueryRunResults",
      "second page answered with HTML": "createQueryRun, getQueryRun, getQueryRunResults",
      "second page without rows": "createQueryRun, getQueryRun, getQueryRunResults",
      "no response to the second page": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "must",
    why: "requests follows redirects, with the API key; by 301, 302 and 303 as a GET without the call, which it then retries.",
    cases: {
      "redirect with HTTP 301": "getQueryRun, no call to /elsewhere many times",
      "redirect with HTTP 302": "getQueryRun, no call to /elsewhere many times",
      "redirect with HTTP 303": "getQueryRun, no call to /elsewhere many times",
      "redirect with HTTP 307": "getQueryRun, getQueryRun to /elsewhere",
      "redirect with HTTP 308": "getQueryRun, getQueryRun to /elsewhere",
    },
  },
  {
    level: "must",
    why: "urllib3 sends a create again after a lost connection, 429 or 5xx: the statement runs twice.",
    cases: {
      "create answered with HTTP 502": "createQueryRun 2 times",
      "create reset without a response": "createQueryRun 2 times",
      "create of a query answered with HTTP 503 without Retry-After":
        "createQueryRun 2 times, getQueryRun, getQueryRunResults",
      "create of a query reset without a response": "createQueryRun 2 times, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "It sends the create once and hands out the refusal, where the answer says that it may be sent again.",
    cases: {
      "create at the limit of runs": "createQueryRun",
      "create at the limit of runs without data": "createQueryRun",
      "create beyond the rate limit": "createQueryRun",
    },
  },
  {
    level: "should",
    why: "Python's http.client takes early hints for the response; urllib3 reports two content lengths as an invalid header, not as a network error.",
    cases: {
      "early hints before the response": "getQueryRun",
      "two content lengths": "getQueryRun",
    },
  },
  {
    level: "should",
    why: "It needs each member of queryRequest, queryRun and sqlStatement, and fails at an answer without them.",
    cases: {
      "query on a server with three methods": "createQueryRun",
      "pages of a server with three methods": "createQueryRun",
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
      "abort during a poll": "createQueryRun, getQueryRun",
      "cancel answered with HTML": "createQueryRun, getQueryRun",
      "cancel reset mid-body": "createQueryRun, getQueryRun",
    },
  },
  {
    level: "should",
    why: "urllib3 retries 429, 5xx and lost connections, but neither a truncated body nor 408.",
    cases: {
      "HTTP 408 once": "getQueryRun",
      "HTTP 429 with an invalid Retry-After": "getQueryRun",
      "connection closed mid-body": "getQueryRun",
      "connection reset mid-body": "getQueryRun",
      "poll closed mid-body": "createQueryRun, getQueryRun",
      "page closed mid-body": "createQueryRun, getQueryRun, getQueryRunResults",
    },
  },
  {
    level: "should",
    why: "Its models accept an answer without result and error, and refuse an error without an id.",
    cases: {
      "neither result nor error": "getQueryRun",
      "result null": "getQueryRun",
      "error with id null": "getQueryRun",
      "content length beyond the body": "getQueryRun",
      "failed run with a malformed reason": "createQueryRun, getQueryRun",
    },
  },
];
