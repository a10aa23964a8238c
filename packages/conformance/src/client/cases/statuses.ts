import type { AdversaryCase } from "../case.ts";
import { always, create, error, html, pollCase, sentOnce } from "./requests.ts";

const redirects = [301, 302, 303, 307, 308].map((status) =>
  pollCase(
    `redirect with HTTP ${status}`,
    { status, headers: { location: "/elsewhere" }, body: "" },
    `http ${status} or network`,
  ),
);
const refusals = [400, 401, 403, 404, 405, 410, 413, 415, 500, 501].map((status) =>
  pollCase(`HTTP ${status} with HTML`, { status, body: html, ...always }, `http ${status}`, sentOnce),
);
const temporary = [408, 429, 502, 503, 504].map((status) =>
  pollCase(`HTTP ${status} once`, { status, body: html }, "right"),
);
const wait = (retryAfter: string) => ({ status: 429, body: "", headers: { "retry-after": retryAfter } });
const tooLong = (name: string, retryAfter: string) =>
  pollCase(name, { ...wait(retryAfter), ...always }, "http 429 or timeout", { ...sentOnce, timeoutMs: 1000 });

/** HTTP statuses other than 200. */
export const statusCases: readonly AdversaryCase[] = [
  ...redirects,
  ...refusals,
  ...temporary,
  pollCase("HTTP 502 every time", { status: 502, body: html, ...always }, "http 502"),
  pollCase("HTTP 502 with a response object", { status: 502, ...always }, "http 502"),
  pollCase("HTTP 204 without a body", { status: 204, body: "" }, "protocol or http 204", sentOnce),
  pollCase("HTTP 201 with the response", { status: 201 }, "right", sentOnce),
  pollCase(
    "HTTP 400 with a declared error",
    { status: 400, body: error('{"code":-32099,"message":"no such run"}') },
    "rpc -32099",
    sentOnce,
  ),
  pollCase("HTTP 999", { status: 999, body: html, ...always }, "http 999 or network"),
  pollCase("HTTP 429 with Retry-After 0", wait("0"), "right"),
  pollCase("HTTP 429 with Retry-After in the past", wait("{earlier}"), "right"),
  pollCase("HTTP 429 with an invalid Retry-After", wait("soon, or -1"), "right"),
  tooLong("HTTP 429 with Retry-After of an hour", "3600"),
  tooLong("HTTP 429 with Retry-After as a date in an hour", "{later}"),
  tooLong("HTTP 429 with Retry-After longer than a timer", "99999999999999999999"),
  { name: "create answered with HTTP 429", calls: [create], faults: [{ status: 429, body: "" }], endings: ["right"] },
  {
    name: "create answered with HTTP 502",
    calls: [create],
    faults: [{ status: 502, body: html }],
    endings: ["http 502"],
    ...sentOnce,
  },
];

/** Cases that take seconds, because `Retry-After` has whole seconds. */
export const slowCases: readonly AdversaryCase[] = [
  pollCase("HTTP 429 with Retry-After of a second", wait("1"), "right", { minWaitMs: 900 }),
  pollCase("HTTP 429 with Retry-After as a date in two seconds", wait("{soon}"), "right", { minWaitMs: 900 }),
];
